/*
 * Writes memory-mapped value files with the reference's library, as a script says. A line of the script is a word
 * and its arguments, separated by tabs; "@" is a null pointer. Each call that fails is printed with its line.
 * The functions are declared here as mmv_stats_registry(3) has them, so that no other header than libpcp's is needed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <pcp/pmapi.h>

extern void *mmv_stats_registry(const char *, int, int);
extern int mmv_stats_add_metric(void *, const char *, int, int, int, pmUnits, int, const char *, const char *);
extern int mmv_stats_add_indom(void *, int, const char *, const char *);
extern int mmv_stats_add_instance(void *, int, int, const char *);
extern int mmv_stats_add_registry_label(void *, const char *, const char *, int, int);
extern int mmv_stats_add_indom_label(void *, int, const char *, const char *, int, int);
extern int mmv_stats_add_metric_label(void *, int, const char *, const char *, int, int);
extern int mmv_stats_add_instance_label(void *, int, int, const char *, const char *, int, int);
extern void *mmv_stats_start(void *);
extern void mmv_stats_stop(const char *, void *);
extern pmAtomValue *mmv_lookup_value_desc(void *, const char *, const char *);
extern void mmv_set_string(void *, pmAtomValue *, const char *, int);
extern void mmv_inc_value(void *, pmAtomValue *, double);

static char *f[12];

static char *text(int i) { return f[i] == NULL || strcmp(f[i], "@") == 0 ? NULL : f[i]; }
static int number(int i) { return f[i] == NULL ? 0 : (int)strtol(f[i], NULL, 0); }

int main(void)
{
	char line[4096], name[300] = "";
	void *registry = NULL, *addr = NULL;
	pmAtomValue *value;
	int row, sts;

	for (row = 1; fgets(line, sizeof line, stdin); row++) {
		char *p, *op;
		int i;
		line[strcspn(line, "\n")] = '\0';
		p = strdup(line);	/* the library keeps the pointers, and reads them at the start */
		memset(f, 0, sizeof f);
		for (i = 0; i < 12 && (f[i] = strsep(&p, "\t")) != NULL; i++)
			;
		op = f[0];
		errno = sts = 0;
		if (strcmp(op, "registry") == 0) {
			snprintf(name, sizeof name, "%s", f[1]);
			addr = NULL;
			registry = mmv_stats_registry(name, number(2), number(3));
			sts = registry == NULL ? -errno : 0;
		}
		else if (strcmp(op, "indom") == 0)
			sts = mmv_stats_add_indom(registry, number(1), text(2), text(3));
		else if (strcmp(op, "instance") == 0)
			sts = mmv_stats_add_instance(registry, number(1), number(2), f[3]);
		else if (strcmp(op, "metric") == 0) {
			unsigned int word = (unsigned int)strtoul(f[5], NULL, 0);
			pmUnits units;
			memcpy(&units, &word, sizeof units);
			sts = mmv_stats_add_metric(registry, f[1], number(2), number(3), number(4), units, number(6), text(7), text(8));
		}
		else if (strcmp(op, "registrylabel") == 0)
			sts = mmv_stats_add_registry_label(registry, f[1], f[2], number(3), number(4));
		else if (strcmp(op, "metriclabel") == 0)
			sts = mmv_stats_add_metric_label(registry, number(1), f[2], f[3], number(4), number(5));
		else if (strcmp(op, "indomlabel") == 0)
			sts = mmv_stats_add_indom_label(registry, number(1), f[2], f[3], number(4), number(5));
		else if (strcmp(op, "instancelabel") == 0)
			sts = mmv_stats_add_instance_label(registry, number(1), number(2), f[3], f[4], number(5), number(6));
		else if (strcmp(op, "start") == 0) {
			addr = mmv_stats_start(registry);
			sts = addr == NULL ? -errno : 0;
		}
		else if (strcmp(op, "stop") == 0)
			mmv_stats_stop(name, addr);
		else if (strcmp(op, "word") == 0 || strcmp(op, "string") == 0 || strcmp(op, "add") == 0) {
			value = addr == NULL ? NULL : mmv_lookup_value_desc(addr, f[1], text(2));
			if (value == NULL)
				sts = -errno;
			else if (op[0] == 'w')
				value->ull = strtoull(f[3], NULL, 0);
			else if (op[0] == 'a')
				mmv_inc_value(addr, value, strtod(f[3], NULL));
			else
				mmv_set_string(addr, value, f[3], (int)strlen(f[3]));
		}
		if (sts != 0)
			printf("%d %s: %s\n", row, op, strerror(abs(sts)));
	}
	return 0;
}
