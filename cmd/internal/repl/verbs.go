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
			&Verb{Name: "set", Usage: "[KEY [VALUE] | save]", Short: "Show or change settings, or keep them for other sessions", Operands: Text, Most: 1, Complete: ofSettings, New: one(runSet)},
			newDebug(),
			newHelp(),
			newQuit(),
		),
	)
}
