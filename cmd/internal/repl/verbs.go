package repl

import "slices"

// Verbs returns the verbs of a session in the order in which help shows them.
func Verbs() []*Verb {
	return slices.Concat(
		Metadata.In(
			newFind(),
			newMetrics(),
			newDescribe(),
			newReports(),
		),
		Evaluation.In(
			newEval(),
			newWatch(),
			newTop(),
			newPlot(),
			newReport(),
		),
		Analysis.In(
			newWhen(),
			newCompare(),
			newSummarize(),
		),
		Definitions.In(
			newExplain(),
			newFunctions(),
			newList(),
			newShow(),
			newDrop(),
			newLoad(),
			newSave(),
			newCheck(),
			newFmt(),
			newDeps(),
			newInstall(),
			newUninstall(),
		),
		Positions.In(
			newSource(),
			newTime(),
			newStep(),
			newMove("next", "Go to the next sample of an archive", 1),
			newMove("prev", "Go to the sample before", -1),
		),
		Databases.In(newRecord()),
		Others.In(
			newRun(),
			newHistory(),
			newReset(),
			newShell(),
			newSet(),
			newDebug(),
			newHelp(),
			newQuit(),
		),
	)
}
