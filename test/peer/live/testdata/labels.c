/* Prints what pmLookupLabels answers for identifiers that it reads: labels TYPE SOURCE <identifiers */
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned id;

	if (argc != 3 || pmNewContext(atoi(argv[1]), argv[2]) < 0)
		return 1;
	while (scanf("%u", &id) == 1) {
		pmLabelSet *sets = NULL;
		int n = pmLookupLabels(id, &sets);

		printf("%u", id);
		if (n < 0)
			printf(" %d", n);
		for (int i = 0; i < n; i++)
			if (sets[i].nlabels > 0)
				printf(" %d %.*s", sets[i].inst, (int)sets[i].jsonlen, sets[i].json);
		printf("\n");
		if (n > 0)
			pmFreeLabelSets(sets, n);
	}
	return 0;
}
