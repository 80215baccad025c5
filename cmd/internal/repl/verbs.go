package repl

import "slices"

// Verbs returns the verbs of a session in the order in which help shows them.
func Verbs() []*Verb {
	return slices.Concat(
		Evaluation.In(
			newEval(),
			newExplain(),
			newWatch(),
			newPlot(),
			newTop(),
			newLast(),
			newSummarize(),
			newCompare(),
			newWhen(),
			newReport(),
			newReports(),
		),
		Metadata.In(
			newFind(),
			newMetrics(),
			newDescribe(),
			newFunctions(),
		),
		Definitions.In(
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
			newNext(),
			newPrev(),
		),
		Databases.In(newRecord()),
		Others.In(
			newRun(),
			newOutput(),
			newEdit(),
			newTiming(),
			newVertical(),
			newSet(),
			newDebug(),
			newHelp(),
			newQuit(),
		),
	)
}
