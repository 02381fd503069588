package redislimiter

import "strings"

// escape keeps names apart from each other and from what Redis Cluster reads in a key.
var escape = strings.NewReplacer("%", "%25", "{", "%7B", "}", "%7D")

// keys returns the keys of a limiter with so many limits, in the order in which scripts want them. All have one hash
// tag, the whole name, so that they stand in one slot of a cluster.
func keys(prefix, name, clientID string, limits int) (keys []string) {
	return keysOf(prefix+"{"+escape.Replace(name)+"}", clientID, limits)
}

// shardKeys returns the keys of a shard. The first one's are those of a limiter without shards, so that what is taken
// stays so when shards are added. "%s" stands in no escaped name.
func shardKeys(prefix, name, clientID string, limits, shard int) []string {
	if shard == 0 {
		return keys(prefix, name, clientID, limits)
	}
	return keysOf(prefix+"{"+escape.Replace(name)+"%s"+itoa(int64(shard))+"}", clientID, limits)
}

func keysOf(main, clientID string, limits int) (keys []string) {
	for i := range limits {
		key := main
		if i > 0 {
			key += ":limit:" + itoa(int64(i+1))
		}
		keys = append(keys, key)
		if clientID != "" {
			keys = append(keys, key+":client:"+clientID)
		}
	}
	return keys
}
