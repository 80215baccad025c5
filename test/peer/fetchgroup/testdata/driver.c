/*
 * Runs a script of fetch group calls with the reference's library, and prints what each returns.
 * A line of the script is a word and its arguments, separated by tabs; "@" is a null pointer.
 * The other side is run in script_test.go, which says what is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <inttypes.h>
#include <math.h>
#include <pcp/pmapi.h>

extern int pmClearFetchGroup(pmFG);	/* no header declares it */

#define MOST 4000	/* values of an item */
#define ITEMS 64

struct item {
	char kind;	/* item, domain or event */
	int type, sts, *stss, *insts;
	unsigned int num, max;
	pmAtomValue one, *values;
	char **names;
	struct timespec *times;
};

static pmFG group;
static struct item items[ITEMS];
static int n;
static struct timespec stamp;

static char *arg(char **f, int i) { return f[i] == NULL || strcmp(f[i], "@") == 0 ? NULL : f[i]; }

static void text(const char *s)
{
	if (s == NULL) { printf("@"); return; }
	putchar('"');
	for (; *s; s++) {
		if (*s == '\n') printf("\\n");
		else if (*s == '\t') printf("\\t");
		else putchar(*s);
	}
	putchar('"');
}

static void value(const pmAtomValue *v, int type)
{
	uint32_t w; uint64_t l;
	switch (type) {
	case PM_TYPE_32: printf("%" PRId32, v->l); break;
	case PM_TYPE_U32: printf("%" PRIu32, v->ul); break;
	case PM_TYPE_64: printf("%" PRId64, v->ll); break;
	case PM_TYPE_U64: printf("%" PRIu64, v->ull); break;
	case PM_TYPE_FLOAT:
		memcpy(&w, &v->f, 4);
		if (isnan(v->f)) printf("nan"); else printf("%08" PRIx32, w);
		break;
	case PM_TYPE_DOUBLE:
		memcpy(&l, &v->d, 8);
		if (isnan(v->d)) printf("nan"); else printf("%016" PRIx64, l);
		break;
	case PM_TYPE_STRING: text(v->cp); break;
	}
}

static void when(const struct timespec *t) { printf("%lld.%09ld", (long long)t->tv_sec, (long)t->tv_nsec); }

static void add(char **f)
{
	struct item *x = &items[n];
	int sts, last = 0;
	while (f[last]) last++;
	memset(x, 0, sizeof(*x));
	x->kind = f[0][0];
	x->sts = PM_ERR_VALUE;
	x->max = MOST;
	x->type = atoi(f[last-1]);
	if (x->kind != 'i') {
		x->stss = calloc(MOST, sizeof(int));
		x->insts = calloc(MOST, sizeof(int));
		x->values = calloc(MOST, sizeof(pmAtomValue));
		x->names = calloc(MOST, sizeof(char *));
		x->times = calloc(MOST, sizeof(struct timespec));
	}
	switch (x->kind) {
	case 'i':
		sts = pmExtendFetchGroup_item(group, f[1], arg(f, 2), arg(f, 3), &x->one, x->type, &x->sts);
		break;
	case 'd':
		sts = pmExtendFetchGroup_indom(group, f[1], arg(f, 2), x->insts, x->names, x->values, x->type, x->stss, MOST, &x->num, &x->sts);
		break;
	default:
		sts = pmExtendFetchGroup_event(group, f[1], arg(f, 2), f[3], arg(f, 4), x->times, x->values, x->type, x->stss, MOST, &x->num, &x->sts);
	}
	printf("%s %d\n", f[0], sts);
	if (sts == 0 && n < ITEMS - 1)
		n++;
}

static void show(struct item *x)
{
	unsigned int j;
	printf("  %c %d", x->kind, x->sts);
	if (x->kind == 'i') {
		putchar(' ');
		value(&x->one, x->type);
	} else {
		printf(" %u", x->num);
		for (j = 0; j < x->num; j++) {
			printf("\n    ");
			if (x->kind == 'd') {
				printf("%d ", x->insts[j]);
				text(x->names[j]);
			} else if (x->stss[j] == 0)
				when(&x->times[j]);
			else
				printf("-");
			printf(" %d ", x->stss[j]);
			value(&x->values[j], x->type);
		}
	}
	putchar('\n');
}

static void fetch(void)
{
	int i, sts = pmFetchGroup(group);
	printf("fetch %d ", sts);
	if (sts >= 0) when(&stamp); else printf("-");
	putchar('\n');
	for (i = 0; i < n; i++)
		show(&items[i]);
}

static void cleared(void)
{
	int i;
	for (i = 0; i < n; i++) {
		free(items[i].stss); free(items[i].insts); free(items[i].values); free(items[i].names); free(items[i].times);
	}
	n = 0;
}

int main(void)
{
	static char line[1 << 16];
	while (fgets(line, sizeof(line), stdin)) {
		char *f[12] = { 0 }, *p = line;
		int k = 0, sts;
		line[strcspn(line, "\n")] = '\0';
		while (p && k < 11)
			f[k++] = strsep(&p, "\t");
		if (strcmp(f[0], "open") == 0) {
			if (group) { pmDestroyFetchGroup(group); cleared(); }
			group = NULL;
			sts = pmCreateFetchGroup(&group, atoi(f[1]), f[2]);
			printf("open %d\n", sts);
			if (group)
				pmExtendFetchGroup_timespec(group, &stamp);
		} else if (group == NULL) {
			continue;
		} else if (strcmp(f[0], "mode") == 0) {
			struct timespec at = { atoll(f[2]), atol(f[3]) }, delta = { atoll(f[4]), atol(f[5]) };
			pmUseContext(pmGetFetchGroupContext(group));
			printf("mode %d\n", pmSetMode(atoi(f[1]), &at, &delta));
		} else if (strcmp(f[0], "clear") == 0) {
			sts = pmClearFetchGroup(group);
			cleared();
			printf("clear %d\n", sts);
			pmExtendFetchGroup_timespec(group, &stamp);
		} else if (strcmp(f[0], "derive") == 0) {
			printf("derive %d\n", pmAddDerived(f[1], f[2]) == NULL ? 0 : 1);
		} else if (strcmp(f[0], "fetch") == 0) {
			fetch();
		} else if (strcmp(f[0], "sleep") == 0) {
			usleep(atoi(f[1]) * 1000);
		} else {
			add(f);
		}
		fflush(stdout);
	}
	return 0;
}
