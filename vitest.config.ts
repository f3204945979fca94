import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import type { InlineConfig } from 'vitest/node'

/**
 * The suffix of a test file says when it runs:
 *
 * - `*.test.ts` needs nothing but Node and is part of `pnpm check`.
 * - `*.int.test.ts` needs the real servers (Postgres, Ceph, ffmpeg, nginx, Chromium) and runs for every change.
 * - `*.long.test.ts` is a whole catalog of videos or hostile files and runs with `pnpm long`.
 */
const shared = {
  pool: 'forks' as const,
  // These limits end a test that hangs, also on a machine with other work. They measure nothing.
  testTimeout: 150_000,
  hookTimeout: 150_000,
  expect: { poll: { timeout: 60_000 } },
  // Node runs the sources itself, as in production; Vite's module runner costs a tenth more CPU time.
  experimental: { viteModuleRunner: false },
  // Files share processes, so a variable that a test has stubbed must not stay set for the next test.
  unstubEnvs: true,
  // Many files start API and worker processes. With a compile cache, these start in half the time.
  env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/.stack/compiled` },
}

/**
 * Integration tests spend most of their time waiting for processes, leases and intervals, so more of them run at
 * once than there are cores. Tests that encode or play fill a core each.
 */
const spareCores = availableParallelism() - 1
const waiting = { maxWorkers: Math.max(4, spareCores) }
const working = { maxWorkers: Math.max(2, spareCores) }
const turn = (groupOrder: number) => ({ sequence: { groupOrder } })

const servers = 'testkit/src/global-setup.ts'
const compiledProcesses = 'testkit/src/processes/compile-processes.ts'
const player = 'tests/browser/playback/build-player.ts'

/** Where each run leaves a report for `tools/ci-summary.ts`, if anywhere. */
const reports = process.env['TEST_REPORTS']
const reporters: InlineConfig['reporters'] = reports
  ? ['default', ['json', { outputFile: `${reports}/${process.pid}.json` }]]
  : ['default']

export default defineConfig({
  test: {
    reporters,
    projects: [
      {
        // Pure functions: no server, no database. They leave nothing behind, so many files share a process.
        test: {
          ...shared,
          ...working,
          isolate: false,
          name: 'unit',
          include: [
            '{cli,contract,dashboard,media,player,sdk,server,site,testkit}/src/**/*.test.ts',
            'tests/{architecture,deploy}/*.test.ts',
            '{testkit,tools}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/*.{int,long}.test.ts'],
        },
      },
      {
        // Operations of the API, with the API in the test's own process. Files share processes because loading
        // the API costs more than most of their tests.
        test: {
          ...shared,
          ...waiting,
          ...turn(1),
          isolate: false,
          name: 'routes',
          include: ['server/src/**/*.routes.int.test.ts'],
          globalSetup: [servers],
        },
      },
      {
        // Everything that starts processes: API, workers, tools. Files share processes here as well, which saves a
        // sixth of the CPU time of both projects.
        test: {
          ...shared,
          ...waiting,
          ...turn(1),
          isolate: false,
          name: 'service',
          include: ['{media,server}/src/**/*.int.test.ts', 'tests/{cli,deploy,docs,sdk,service}/**/*.int.test.ts'],
          exclude: ['**/*.routes.int.test.ts'],
          globalSetup: [servers, compiledProcesses],
        },
      },
      {
        // The product over HTTP, against any base URL: see tests/acceptance/README.md.
        test: {
          ...shared,
          ...waiting,
          ...turn(2),
          isolate: false,
          name: 'acceptance',
          include: ['tests/acceptance/*.int.test.ts'],
          globalSetup: [servers, compiledProcesses],
        },
      },
      {
        // Catalogs. Each file has workers of its own, which fill the cores.
        test: {
          ...shared,
          ...turn(3),
          maxWorkers: 2,
          name: 'long',
          include: ['{media,tests}/**/*.long.test.ts'],
          globalSetup: [servers, player],
        },
      },
    ],
  },
})
