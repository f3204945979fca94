import { defineConfig } from 'vitest/config'

const isolated = {
  pool: 'forks' as const,
  testTimeout: 20_000,
  hookTimeout: 60_000,
  // Each file is a process, and starts the service as processes, hundreds of them in all; compiled once, they start in half the time.
  env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/.stack/compiled` },
}

/** Most of the time they wait: for processes to start, for leases to run out, for pauses to pass. So there are more than cores. */
const SERVICE_FILES_AT_ONCE = 4

export default defineConfig({
  test: {
    projects: [
      {
        // Pure functions: no server, no database; part of `pnpm check`. They leave nothing behind, so many share a process.
        test: {
          ...isolated,
          isolate: false,
          name: 'rules',
          include: ['{contract,media,server}/src/**/*.test.ts', 'tests/architecture/*.test.ts'],
          exclude: ['**/*.{routes,store,db,process}.test.ts'],
        },
      },
      {
        // On the real servers, started by stack/up. After the rules, which want the processor for themselves.
        test: {
          ...isolated,
          name: 'service',
          maxWorkers: SERVICE_FILES_AT_ONCE,
          sequence: { groupOrder: 1 },
          include: [
            'server/src/**/*.{routes,store,db}.test.ts',
            'media/**/*.process.test.ts',
            'tests/service/*.test.ts',
          ],
          globalSetup: ['testkit/src/global-setup.ts'],
        },
      },
      {
        // Every file of media's hostile corpus, by itself and through the service. In turn: they all
        // listen where the files point to.
        test: {
          ...isolated,
          name: 'hostile',
          include: ['media/hostile/*.hostile.test.ts', 'tests/hostile/*.hostile.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts'],
          fileParallelism: false,
        },
      },
      {
        // Videos through the real pipeline: what comes out is decoded and played.
        test: {
          ...isolated,
          name: 'media',
          testTimeout: 120_000,
          include: ['{media/testing,tests/media}/*.media.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts'],
          fileParallelism: false,
        },
      },
      {
        // The example page, and videos by real players, in Debian's Chromium, against the service as a process.
        test: {
          ...isolated,
          name: 'browser',
          testTimeout: 60_000,
          include: ['tests/browser/*.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts'],
        },
      },
      {
        // Over HTTP only, against any base URL: see tests/acceptance/README.md.
        test: {
          ...isolated,
          name: 'acceptance',
          include: ['tests/acceptance/*.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts'],
        },
      },
    ],
  },
})
