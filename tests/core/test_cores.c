/* Cores that control groups leave, on trees made up for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cores.h"
#include "core/make_folder.h"
#include "support/temporary.h"

static void put(const char *name, const char *text) {
    char folder[TEMPORARY_PATH * 2];
    snprintf(folder, sizeof folder, "%s", path_in_temporary(name));
    *strrchr(folder, '/') = '\0';
    assert_int_equal(tips__make_folder(folder), TIPS_OK);
    write_file(path_in_temporary(name), text, strlen(text));
}

static int cores(const char *membership) {
    char root[TEMPORARY_PATH];
    snprintf(root, sizeof root, "%s", path_in_temporary("."));
    put("membership", membership);
    return tips__cores_of_group(path_in_temporary("membership"), root);
}

static int clean_up(void **state) {
    (void)state;
    assert_int_equal(chdir(path_in_temporary(".")), 0);
    assert_int_equal(system("rm -rf system.slice cpu cpu,cpuacct unified"), 0);
    remove_temporary();
    return 0;
}

static void test_without_limits(void **state) {
    (void)state;
    assert_int_equal(tips__cores_of_group(path_in_temporary("none"), path_in_temporary("none")), 0);
    assert_int_equal(cores(""), 0);
    assert_int_equal(cores("0::/\n"), 0);
    assert_int_equal(cores("nonsense\n1:cpu\n::\n0::relative\n"), 0);
    put("cpu.max", "max 100000\n");
    assert_int_equal(cores("0::/\n"), 0);
    put("cpu.max", "what is this\n");
    assert_int_equal(cores("0::/\n"), 0);
    put("cpu.max", "0 0\n");
    assert_int_equal(cores("0::/\n"), 0);
}

static void test_version_2(void **state) {
    (void)state;
    put("system.slice/run/cpu.max", "150000 100000\n");
    put("system.slice/cpu.max", "400000 100000\n");
    assert_int_equal(cores("0::/system.slice/run\n"), 2); /* rounded up */
    assert_int_equal(cores("0::/system.slice\n"), 4);
    assert_int_equal(cores("0::/system.slice/run/deeper/still\n"), 2); /* those above count too */
    put("system.slice/cpu.max", "100000 100000\n");
    assert_int_equal(cores("0::/system.slice/run\n"), 1);
    put("system.slice/cpu.max", "1000 100000\n");
    assert_int_equal(cores("0::/system.slice/run\n"), 1); /* at least one */
    put("cpu.max", "300000 100000\n"); /* a container that sees its own group at the root */
    assert_int_equal(cores("0::/\n"), 3);
    assert_int_equal(cores("0::/docker/of-the-host\n"), 3);
    put("unified/run/cpu.max", "200000 100000\n");
    assert_int_equal(cores("0::/run\n"), 2);
}

static void test_version_1(void **state) {
    (void)state;
    put("cpu,cpuacct/run/cpu.cfs_quota_us", "250000\n");
    put("cpu,cpuacct/run/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cores("5:memory:/run\n4:cpu,cpuacct:/run\n0::/\n"), 3);
    assert_int_equal(cores("4:cpuacct,cpuset:/run\n"), 0);
    put("cpu,cpuacct/run/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(cores("4:cpu,cpuacct:/run\n"), 0);
    put("cpu/cpu.cfs_quota_us", "100000\n");
    put("cpu/cpu.cfs_period_us", "50000\n");
    assert_int_equal(cores("1:cpu:/elsewhere\n"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_without_limits, clean_up),
        cmocka_unit_test_teardown(test_version_2, clean_up),
        cmocka_unit_test_teardown(test_version_1, clean_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
