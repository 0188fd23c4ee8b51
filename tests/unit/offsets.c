/* SPDX-License-Identifier: MIT */
/* Arithmetic only, and a lot of it. ctest: notsan novalgrind */
#include "run/offsets.h"
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

static void start(struct iobi_offsets *o, enum iobi_order order, uint64_t slots, uint32_t worker,
		  uint32_t workers, uint64_t seed)
{
	struct iobi_offsets_spec spec = { .order = order,
					  .slots = slots,
					  .slot = 4096,
					  .base = 8192,
					  .worker = worker,
					  .workers = workers,
					  .seed = seed };
	iobi_offsets_init(o, &spec);
}

/* Every worker draws its share of one pass, `passes` times over. */
static void count_passes(enum iobi_order order, uint64_t slots, uint32_t workers, unsigned passes,
			 unsigned *seen)
{
	for (uint32_t w = 0; w < workers; w++) {
		struct iobi_offsets o;
		uint64_t share = iobi_offsets_share(slots, w, workers);
		start(&o, order, slots, w, workers, 42);
		for (uint64_t i = 0; i < share * passes; i++) {
			uint64_t at = iobi_offsets_next(&o);
			ck_assert_uint_ge(at, 8192);
			ck_assert_uint_eq(at % 4096, 0);
			uint64_t slot = (at - 8192) / 4096;
			ck_assert_uint_lt(slot, slots);
			seen[slot]++;
		}
	}
}

START_TEST(a_pass_covers_each_block_once)
{
	static const uint64_t sizes[] = { 1,  2,   3,    5,    7,    8,    9,     63,
					  64, 65, 127, 1000, 1023, 1024, 1025, 65537 };
	static const uint32_t workers[] = { 1, 2, 3, 7, 16, 64 };
	for (int order = 0; order < 2; order++)
		for (size_t i = 0; i < IOBI_LEN(sizes); i++)
			for (size_t k = 0; k < IOBI_LEN(workers); k++) {
				enum iobi_order kind = order ? IOBI_ORDER_SEQUENTIAL :
							       IOBI_ORDER_PERMUTED;
				if (order && sizes[i] < workers[k])
					continue; /* refused by the plan */
				unsigned *seen = calloc(sizes[i], sizeof(*seen));
				count_passes(kind, sizes[i], workers[k], 3, seen);
				for (uint64_t s = 0; s < sizes[i]; s++)
					ck_assert_uint_eq(seen[s], 3);
				free(seen);
			}
}
END_TEST

START_TEST(shares_add_up)
{
	for (uint64_t n = 1; n < 200; n += 13)
		for (uint32_t workers = 1; workers < 20; workers++) {
			uint64_t sum = 0;
			for (uint32_t w = 0; w < workers; w++)
				sum += iobi_offsets_share(n, w, workers);
			ck_assert_uint_eq(sum, n);
		}
}
END_TEST

START_TEST(sequential_is_in_order_within_a_stretch)
{
	struct iobi_offsets o;
	start(&o, IOBI_ORDER_SEQUENTIAL, 10, 1, 3, 1); /* stretches of 4, 3, 3 */
	for (int pass = 0; pass < 2; pass++)
		for (uint64_t i = 4; i < 7; i++)
			ck_assert_uint_eq(iobi_offsets_next(&o), 8192 + i * 4096);
}
END_TEST

/* Past 2^32 blocks: no repeats in a long stretch, and all parts are reached. */
START_TEST(large_targets)
{
	enum { DRAWS = 200000, PARTS = 64 };
	static const uint64_t sizes[] = { (UINT64_C(1) << 32) + 7, UINT64_C(3) << 40,
					  (UINT64_C(1) << 51) - 1 };
	for (size_t k = 0; k < IOBI_LEN(sizes); k++) {
		unsigned part[PARTS] = { 0 };
		struct iobi_offsets o;
		start(&o, IOBI_ORDER_PERMUTED, sizes[k], 0, 1, 7);
		for (int i = 0; i < DRAWS; i++) {
			uint64_t slot = iobi_offsets_slot(&o);
			ck_assert_uint_lt(slot, sizes[k]);
			part[(uint64_t)((iobi_u128)slot * PARTS / sizes[k])]++;
		}
		/* 3,125 each; 6 sigma is 333 */
		for (int i = 0; i < PARTS; i++) {
			ck_assert_uint_gt(part[i], 3125 - 333);
			ck_assert_uint_lt(part[i], 3125 + 333);
		}
	}
}
END_TEST

/* No stripes: gaps between neighbouring draws are spread as random ones are. */
START_TEST(neighbours_are_far_apart)
{
	enum { N = 1 << 20, BINS = 256 };
	unsigned bin[BINS] = { 0 };
	struct iobi_offsets o;
	start(&o, IOBI_ORDER_PERMUTED, N, 0, 1, (uint64_t)_i + 1);
	uint64_t last = iobi_offsets_slot(&o);
	for (int i = 1; i < N; i++) {
		uint64_t slot = iobi_offsets_slot(&o);
		bin[((slot - last) & (N - 1)) / (N / BINS)]++;
		last = slot;
	}
	double chi = 0, want = (double)(N - 1) / BINS;
	for (int i = 0; i < BINS; i++)
		chi += (bin[i] - want) * (bin[i] - want) / want;
	ck_assert_double_lt(chi, 255 + 6 * 22.6); /* 255 degrees of freedom, 6 sigma */
}
END_TEST

START_TEST(seeds_make_the_difference)
{
	struct iobi_offsets a, b, c;
	start(&a, IOBI_ORDER_PERMUTED, 100000, 0, 1, 5);
	start(&b, IOBI_ORDER_PERMUTED, 100000, 0, 1, 5);
	start(&c, IOBI_ORDER_PERMUTED, 100000, 0, 1, 6);
	int differ = 0;
	for (int i = 0; i < 1000; i++) {
		uint64_t x = iobi_offsets_slot(&a);
		ck_assert_uint_eq(x, iobi_offsets_slot(&b));
		differ += x != iobi_offsets_slot(&c);
	}
	ck_assert_int_gt(differ, 990);
}
END_TEST

START_TEST(passes_differ)
{
	struct iobi_offsets o;
	uint64_t first[64];
	int same = 0;
	start(&o, IOBI_ORDER_PERMUTED, 64, 0, 1, 5);
	for (int i = 0; i < 64; i++)
		first[i] = iobi_offsets_slot(&o);
	for (int i = 0; i < 64; i++)
		same += iobi_offsets_slot(&o) == first[i];
	ck_assert_int_lt(same, 16);
}
END_TEST

/* With repeats, a draw of n from n misses about 1/e of them. */
START_TEST(repeats_repeat)
{
	enum { N = 100000 };
	unsigned char *seen = calloc(N, 1);
	struct iobi_offsets o;
	unsigned missed = 0;
	start(&o, IOBI_ORDER_REPEATS, N, 0, 1, 9);
	for (int i = 0; i < N; i++)
		seen[iobi_offsets_slot(&o)] = 1;
	for (int i = 0; i < N; i++)
		missed += !seen[i];
	free(seen);
	ck_assert_uint_gt(missed, 36000);
	ck_assert_uint_lt(missed, 37600);
}
END_TEST

/* A smaller I/O stays in its slot, at a multiple of its own size. */
START_TEST(smaller_blocks_stay_in_their_slot)
{
	struct iobi_offsets o;
	start(&o, IOBI_ORDER_PERMUTED, 50, 0, 1, 9);
	unsigned place[8] = { 0 };
	for (int i = 0; i < 8000; i++) {
		uint64_t at = iobi_offsets_next_len(&o, 512) - 8192;
		ck_assert_uint_lt(at, 50 * 4096);
		ck_assert_uint_eq(at % 512, 0);
		place[at % 4096 / 512]++;
	}
	for (int i = 0; i < 8; i++)
		ck_assert_uint_gt(place[i], 800);
	/* 1536 does not divide the slot: two places, and never over its end */
	for (int i = 0; i < 1000; i++) {
		uint64_t at = (iobi_offsets_next_len(&o, 1536) - 8192) % 4096;
		ck_assert(at == 0 || at == 1536);
	}
}
END_TEST

/* Of the I/Os, in order, those that begin another pass. */
START_TEST(passes_are_told)
{
	static const struct {
		enum iobi_order order;
		uint32_t worker, workers;
		unsigned share; /* of 100 slots */
	} cases[] = {
		{ IOBI_ORDER_PERMUTED, 0, 1, 100 },   { IOBI_ORDER_PERMUTED, 2, 3, 33 },
		{ IOBI_ORDER_SEQUENTIAL, 0, 1, 100 }, { IOBI_ORDER_SEQUENTIAL, 1, 3, 33 },
		{ IOBI_ORDER_BACKWARD, 0, 1, 100 },   { IOBI_ORDER_REPEATS, 0, 1, 0 },
	};
	for (size_t c = 0; c < IOBI_LEN(cases); c++) {
		struct iobi_offsets o;
		struct iobi_offsets_spec spec = { .order = cases[c].order,
						  .slots = 100,
						  .slot = 4096,
						  .worker = cases[c].worker,
						  .workers = cases[c].workers,
						  .seed = 42,
						  .bytes = cases[c].order == IOBI_ORDER_BACKWARD };
		iobi_offsets_init(&o, &spec);
		for (unsigned i = 0; i < 350; i++) {
			uint64_t at = cases[c].order == IOBI_ORDER_BACKWARD
					      ? iobi_offsets_stride(&o, 4096)
					      : iobi_offsets_next(&o);
			bool first = cases[c].share && i && i % cases[c].share == 0;
			ck_assert_msg(iobi_offsets_again(&o, at) == first, "case %zu, I/O %u", c,
				      i);
		}
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("offsets");
	TCase *t = tcase_create("offsets");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, a_pass_covers_each_block_once);
	tcase_add_test(t, shares_add_up);
	tcase_add_test(t, sequential_is_in_order_within_a_stretch);
	tcase_add_test(t, large_targets);
	tcase_add_loop_test(t, neighbours_are_far_apart, 0, 12);
	tcase_add_test(t, seeds_make_the_difference);
	tcase_add_test(t, passes_differ);
	tcase_add_test(t, passes_are_told);
	tcase_add_test(t, repeats_repeat);
	tcase_add_test(t, smaller_blocks_stay_in_their_slot);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
