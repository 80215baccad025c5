/*
 * Calls the reference's trace library as the lines of its input say: an operation, a tag and a
 * value, separated by tabs. Prints what each call returns. The declarations are those of pmtrace(3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pmtracebegin(const char *tag);
int pmtraceend(const char *tag);
int pmtraceabort(const char *tag);
int pmtracepoint(const char *tag);
int pmtraceobs(const char *tag, double value);
int pmtracecounter(const char *tag, double value);
int pmtracestate(int flags);

int main(void)
{
	static char line[4096];

	while (fgets(line, sizeof line, stdin)) {
		char *op, *tag, *rest = line;
		int sts = -1;

		line[strcspn(line, "\n")] = '\0';
		op = strsep(&rest, "\t");
		tag = strsep(&rest, "\t");
		if (tag == NULL)
			continue;
		if (strcmp(op, "begin") == 0)
			sts = pmtracebegin(tag);
		else if (strcmp(op, "end") == 0)
			sts = pmtraceend(tag);
		else if (strcmp(op, "abort") == 0)
			sts = pmtraceabort(tag);
		else if (strcmp(op, "point") == 0)
			sts = pmtracepoint(tag);
		else if (strcmp(op, "observe") == 0)
			sts = pmtraceobs(tag, strtod(rest, NULL));
		else if (strcmp(op, "count") == 0)
			sts = pmtracecounter(tag, strtod(rest, NULL));
		else if (strcmp(op, "state") == 0)
			sts = pmtracestate(atoi(tag));
		printf("%s %d\n", op, sts);
	}
	return 0;
}
