// Package explain tells what the wrappers do before they run: the layers of each method from the outside in, the
// instances with their settings and where each comes from, how long a call may take, and which methods the directives of
// an interface reach. Its words for it are a [Report], which the command resilgen prints as a table or as JSON.
//
//	report.go   what is told, with its shape as JSON
//	make.go     plans become a report
//	reach.go    which methods a directive of an interface reaches, and why not the others
//	settings.go the settings of an instance, from the weakest layer to the strongest
//	file.go     what a config file says, in plain terms, and what is wrong with it
//	name.go     names of instances: templates, their base names, and what they match
//	worst.go    the longest time that a call may take
package explain
