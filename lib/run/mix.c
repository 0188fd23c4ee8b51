/* SPDX-License-Identifier: MIT */
#include "run/mix.h"

static uint64_t share(int64_t percent)
{
	return ((uint64_t)percent << 32) / 100;
}

static void init_sizes(struct iobi_sizes *s, const struct iobi_mix *mix)
{
	int64_t percent = 0;
	s->n = mix->low ? 0 : mix->n;
	s->low = mix->low;
	s->multiples = mix->low ? mix->part[0].size / mix->low : 0;
	for (unsigned i = 0; i < mix->n; i++) {
		percent += mix->part[i].percent;
		s->size[i] = mix->part[i].size;
		s->below[i] = share(percent);
	}
}

void iobi_choice_init(struct iobi_choice *c, int64_t read_percent, int64_t trim_percent,
		      const struct iobi_mix *read, const struct iobi_mix *write)
{
	c->read_below = share(read_percent);
	c->trim_below = share(trim_percent);
	init_sizes(&c->sizes[0], read);
	init_sizes(&c->sizes[1], write->n ? write : read);
}
