package resil

const (
	// defaultValue stands in a name for a value that is absent.
	defaultValue = "default"
	// otherValue stands in a name for a value that is not valid, or for which there is no room.
	otherValue = "other"
)

// A subject is whom settings are for.
type subject struct {
	base   string // the key of configurations, metrics and grouping; of a constant name, that name
	name   string // as it is shown
	tenant string // empty where the name has none
}

// subject returns whom what is agreed is said of, if the constant name is name.
func (a *agreement) subject(name string) subject {
	if a.base == "" {
		return subject{base: name, name: name}
	}
	return subject{base: a.base, name: name}
}

// longestValue is how many bytes a value of a name can have.
const longestValue = 64

// valid reports whether a value may stand in a name: letters, digits, '.', '_' and '-', at most longestValue of them.
func valid(value string) bool {
	if value == "" || len(value) > longestValue {
		return false
	}
	for i := range len(value) {
		switch c := value[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
