package explain

import (
	"go/token"
	"go/types"

	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// An Input is what a report is made of.
type Input struct {
	Packages []*source.Package
	Plans    []*plan.File // of the packages
	File     *File        // the config file; nil where there is none
	All      bool         // tell the settings that are built in too
	Position func(token.Pos) string
}

// Make tells what the plans do. Nothing is wrong with them.
func Make(in Input) *Report {
	m := &maker{
		file: in.File, all: in.All, position: in.Position,
		wrappers: make(map[*types.TypeName]*plan.Wrapper), shared: make(map[instance]*shared),
	}
	for _, file := range in.Plans {
		for _, w := range file.Wrappers {
			m.wrappers[w.Interface] = w
		}
	}
	for _, pkg := range in.Packages {
		for _, each := range pkg.Interfaces {
			m.share(each)
		}
	}
	report := &Report{Interfaces: []Interface{}, Problems: []Problem{}}
	for _, pkg := range in.Packages {
		for _, each := range pkg.Interfaces {
			if w := m.wrappers[each.Object]; w != nil {
				report.Interfaces = append(report.Interfaces, m.tell(pkg, each, w))
			}
		}
	}
	if in.File != nil {
		report.Config = in.File.Name
		report.Problems = sorted(append(append(report.Problems, in.File.Problems...), in.File.check(m.shared)...))
	}
	return report
}

// A maker makes one report.
type maker struct {
	file     *File
	all      bool
	position func(token.Pos) string
	wrappers map[*types.TypeName]*plan.Wrapper
	shared   map[instance]*shared
}

func instanceOf(layer *plan.Layer) instance { return instance{layer.Spec.Name, layer.Pool, layer.Name} }

// share notes which directives speak of the same instances.
func (m *maker) share(in *source.Interface) {
	w := m.wrappers[in.Object]
	if w == nil {
		return
	}
	for i, method := range w.Methods {
		for _, layer := range method.Chain {
			key := instanceOf(layer)
			if m.shared[key] == nil {
				m.shared[key] = new(shared)
			}
			m.shared[key].add(directiveOf(in, in.Methods[i], layer.Spec.Name))
		}
	}
}

func (m *maker) tell(pkg *source.Package, in *source.Interface, w *plan.Wrapper) Interface {
	told := Interface{
		Package: pkg.Path, Name: in.Object.Name(), Wrapper: w.Name, Position: m.position(in.Object.Pos()),
		Directives: m.reach(in, w), Methods: []Method{},
	}
	for i, method := range w.Methods {
		told.Methods = append(told.Methods, m.tellMethod(pkg, in, in.Methods[i], method))
	}
	return told
}

func (m *maker) tellMethod(pkg *source.Package, in *source.Interface, method *source.Method, plan *plan.Method) Method {
	told := Method{Name: method.Func.Name(), Position: m.position(method.Pos), Chain: []Layer{}}
	if plan.Fallback != nil {
		told.Chain = append(told.Chain, fallback(pkg, plan.Fallback))
	}
	var chain []*resolved
	for _, layer := range plan.Chain {
		if layer.Fallback != nil {
			told.Chain = append(told.Chain, fallback(pkg, layer.Fallback))
		}
		r := m.resolve(instanceOf(layer), directiveOf(in, method, layer.Spec.Name), layer.Configuration)
		chain = append(chain, r)
		told.Chain = append(told.Chain, m.layer(r))
	}
	if len(told.Chain) > 0 {
		told.Worst = worst(chain).told()
	}
	return told
}

func (m *maker) layer(r *resolved) Layer {
	told := Layer{
		Kind: r.kind, Name: r.name, Configuration: r.configuration,
		Settings: r.settings(m.all), Overrides: m.overrides(r),
	}
	if r.pool {
		told.Type = "pool"
	}
	if r.base != r.name {
		told.Base = r.base
	}
	return told
}

func fallback(pkg *source.Package, f *plan.Fallback) Layer {
	told := Layer{Kind: "fallback", Name: f.Name, Settings: []Setting{}}
	for _, h := range f.Handlers {
		name := h.Func.Object.Name()
		if p := h.Func.Object.Pkg(); !h.Func.Method && p != nil && p != pkg.Types {
			name = p.Path() + "." + name
		}
		told.Handlers = append(told.Handlers, name)
	}
	return told
}
