package directive

import (
	"go/token"
	"strings"
)

// unknownDirective reports the name of a directive that is not in the table.
func unknownDirective(name string, pos token.Pos, problems *Problems) {
	end := pos + token.Pos(len(name))
	if right := severalMeant(name); len(right) > 1 {
		problems.Errorf(pos, end, "%q is not one directive; write each on a line of its own: %s",
			name, enumerate(right, "and"))
		return
	}
	if i := strings.IndexAny(name, "(:,;=/.{"); i > 0 && Lookup(name[:i]) != nil {
		problems.Errorf(pos+token.Pos(i), end, "%q stands where a space should; write %s%s key=value",
			name[i:i+1], prefix, name[:i])
		return
	}
	if near := meant(name); near != "" {
		problems.Errorf(pos, end, "unknown directive %q; did you mean %q?", name, near).suggestText(pos, end, near)
		return
	}
	problems.Errorf(pos, end, "unknown directive %q; the directives are %s", name, names())
}

// severalMeant returns the directives that a name with commas was meant to be, as they are written; none if one of the
// parts is none.
func severalMeant(name string) []string {
	parts := strings.Split(name, ",")
	for i, part := range parts {
		right := meant(part)
		if right == "" {
			return nil
		}
		parts[i] = prefix + right
	}
	return parts
}

// unknownKey reports a key that the directive does not have.
func (p *parser) unknownKey(name string, pos, end token.Pos) {
	foreign := make([]string, len(p.spec().Foreign))
	for i, f := range p.spec().Foreign {
		if fold(f.Name) == fold(name) {
			p.foreignKey(name, f, pos, end)
			return
		}
		foreign[i] = f.Name
	}
	if others := specsWith(name); len(others) > 0 {
		p.Errorf(pos, end, "%s has no key %q; it is a key of %s", p.spec().Name, name, enumerate(others, "and"))
		return
	}
	if near := p.nearKey(name); near != nil {
		p.Errorf(pos, end, "unknown key %q; did you mean %q?", name, near.Name).
			rename(name, near.Name)
		return
	}
	if near := Nearest(name, foreign); near != "" {
		for _, f := range p.spec().Foreign {
			if f.Name == near {
				p.foreignKey(name, f, pos, end)
				return
			}
		}
	}
	p.Errorf(pos, end, "unknown key %q; the keys of %s are %s", name, p.spec().Name, strings.Join(p.keyNames(), ", "))
}

func (p *parser) foreignKey(name string, f Foreign, pos, end token.Pos) {
	switch {
	case f.Use == "":
		p.Errorf(pos, end, "there is no key %q: %s; remove it", name, f.Note)
	case f.Note == "":
		p.Errorf(pos, end, "unknown key %q; here it is %q", name, f.Use).rename(name, f.Use)
	default:
		p.Errorf(pos, end, "unknown key %q; here it is %q (%s)", name, f.Use, f.Note)
	}
}

// nearKey returns the key that the name was likely meant to be, or nil.
func (p *parser) nearKey(name string) *Key { return p.spec().Key(Nearest(name, p.keyNames())) }

// keyNames returns the keys that can be written.
func (p *parser) keyNames() []string {
	var list []string
	for i := range p.spec().Keys {
		if key := &p.spec().Keys[i]; !key.Bare && key.Refused == "" {
			list = append(list, key.Name)
		}
	}
	return list
}

// specsWith returns the directives that have a key of that name.
func specsWith(key string) []string {
	var list []string
	for i := range Table {
		if k := Table[i].Key(key); k != nil && !k.Bare {
			list = append(list, Table[i].Name)
		}
	}
	return list
}
