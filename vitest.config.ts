import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const isolated = {
  pool: 'forks' as const,
  // They end what hangs, on a machine with much else to do. What is promised to be quick is
  // measured where it is promised.
  testTimeout: 150_000,
  hookTimeout: 150_000,
  expect: { poll: { timeout: 10_000 } },
  // Each file is a process, and starts the service as processes, hundreds of them in all; compiled
  // once, they start in half the time.
  env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/.stack/compiled` },
}

/**
 * How many files of each kind run at once, and which kind runs after which. Tests of the service
 * wait most of the time: for processes to start, for leases to run out, for pauses to pass. So
 * there are more of them than cores. Those that encode or play fill a core each.
 */
const spareCores = availableParallelism() - 1
const waiting = { maxWorkers: Math.max(4, spareCores) }
const working = { maxWorkers: Math.max(2, spareCores) }
const turn = (groupOrder: number) => ({ sequence: { groupOrder } })

export default defineConfig({
  test: {
    projects: [
      {
        // Pure functions: no server, no database; part of `pnpm check`. They leave nothing behind,
        // so many share a process.
        test: {
          ...isolated,
          ...working,
          isolate: false,
          name: 'rules',
          include: [
            '{cli,contract,media,player,sdk,server}/src/**/*.test.ts',
            'tests/{architecture,deploy,faults,rehearsals}/*.test.ts',
          ],
          exclude: ['**/*.{routes,db,process,media}.test.ts'],
        },
      },
      {
        // What each operation answers, by an API in the process of the tests, on the real servers that
        // stack/up starts. All it holds belongs to one instance, so many files share a process, which
        // halves what they cost: most of it is to load the API.
        test: {
          ...isolated,
          ...waiting,
          ...turn(1),
          isolate: false,
          name: 'routes',
          include: ['server/src/**/*.routes.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts'],
        },
      },
      {
        // The same servers, by whatever is started for it: processes, workers, tools.
        test: {
          ...isolated,
          ...waiting,
          ...turn(1),
          name: 'service',
          include: [
            'server/src/**/*.db.test.ts',
            '{media,tests/deploy}/**/*.process.test.ts',
            'tests/service/*.test.ts',
            'tests/{cli,sdk}/*.test.ts',
          ],
          globalSetup: ['testkit/src/global-setup.ts', 'testkit/src/compile-processes.ts'],
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
        // Videos through the real pipeline: what comes out is decoded and played. Each file has
        // workers of its own, which fill the cores.
        test: {
          ...isolated,
          ...turn(2),
          maxWorkers: 2,
          name: 'media',
          include: ['{media,tests/media}/**/*.media.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts'],
        },
      },
      {
        // The example page, and videos by real players, in Debian's Chromium, against the service as a process.
        test: {
          ...isolated,
          ...working,
          ...turn(3),
          name: 'browser',
          include: ['tests/browser/*.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts'],
        },
      },
      {
        // The player and the hosted page in Debian's Chromium, with videos that a worker really makes.
        test: {
          ...isolated,
          ...working,
          ...turn(5),
          name: 'playback',
          expect: { poll: { timeout: 15_000, interval: 100 } },
          include: ['tests/playback/*.playback.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts', 'tests/playback/build-player.ts'],
        },
      },
      {
        // Over HTTP only, against any base URL: see tests/acceptance/README.md.
        test: {
          ...isolated,
          ...waiting,
          ...turn(4),
          name: 'acceptance',
          include: ['tests/acceptance/*.test.ts'],
          globalSetup: ['testkit/src/global-setup.ts'],
        },
      },
    ],
  },
})
