/** Checks that the Prometheus rules are valid, fire exactly when they should, and use existing metrics. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@reelkeep/contract'
import { playKinds } from '@reelkeep/server/modules/playback/playback-urls.rules.ts'
import {
  ApiProcess,
  resetDatabase,
  root,
  type StackEnv,
  Superuser,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { describe, expect, it } from 'vitest'
import { affectedRules } from '../../deploy/monitoring/affected-rules.ts'
import { rows } from '../../deploy/monitoring/panels.ts'
import { alertNames } from '../../deploy/monitoring/rules.ts'
import { type Scenario, scenarios } from '../../deploy/monitoring/scenarios.ts'
import { healthy } from '../../deploy/monitoring/series.ts'

const rules = ['recording', 'alerts'].map((name) => join(root, `deploy/monitoring/prometheus/${name}.yml`))
const textOf = (path: string) => readFileSync(path, 'utf8')

/** promtool is part of Debian's package `prometheus`. */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const promtool = (...given: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', given, { encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

const FIRING = 'group by (alertname, severity) (ALERTS{alertstate="firing"})'

function testOf({ changes, fires }: Scenario) {
  const series = Object.entries<string | null>({ ...healthy, ...changes })
  return {
    interval: '1m',
    input_series: series.filter(([, values]) => values !== null).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: FIRING,
        eval_time: '118m',
        exp_samples: fires.map((fired) => {
          const [name, severity] = fired.split(' ')
          return { labels: `{alertname="${name}",severity="${severity}"}`, value: 1 }
        }),
      },
    ],
  }
}

/**
 * Runs promtool on a rule file with the given content, as JSON, which is also YAML. The files that it refers to
 * (`named`) are written into the same folder.
 */
function judge(command: 'check' | 'test', content: object, named: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'alerts-'))
  try {
    const file = join(directory, 'rules.yml')
    writeFileSync(file, JSON.stringify(content))
    for (const [name, text] of Object.entries(named)) writeFileSync(join(directory, name), text)
    return promtool(command, 'rules', file)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

describe.skipIf(!hasPromtool)('Prometheus', () => {
  it('accepts the rules', () => {
    expect(promtool('check', 'rules', ...rules)).toMatchObject({ status: 0 })
  })

  it('accepts the queries of the dashboard', () => {
    const queries = rows.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries))
    // Grafana replaces `$__rate_interval` with an interval.
    const expressions = queries.map(([expression]) => expression.replaceAll('$__rate_interval', '5m'))
    const recorded = expressions.map((expr, index) => ({ record: `dashboard:query${index}`, expr }))
    const { status, text } = judge('check', { groups: [{ name: 'dashboard', rules: recorded }] })
    expect(status, text).toBe(0)
  })

  const [allIsWell, ...others] = scenarios
  const testsOf = (files: readonly string[], scenario: Scenario) => ({
    rule_files: files,
    evaluation_interval: '2m',
    tests: [testOf(scenario)],
  })

  it('fires no alert if everything works', () => {
    expect(allIsWell).toMatchObject({ changes: {}, fires: [] })
    const { status, text } = judge('test', testsOf(rules, allIsWell))
    expect(status, text).toBe(0)
  })

  // Evaluating all rules for each scenario would take minutes; the first test covers the unaffected rules.
  it.each(others)('fires $fires if $when', (scenario) => {
    const metrics = Object.keys(scenario.changes).map((series) => series.replace(/\{.*/, ''))
    const affected = affectedRules(rules.map(textOf), metrics)
    const tests = testsOf(['affected.yml'], scenario)
    const { status, text } = judge('test', tests, { 'affected.yml': affected })
    expect(status, text).toBe(0)
  })
})

describe('every alert', () => {
  it('fires in some scenario', () => {
    const fired = new Set(scenarios.flatMap(({ fires }) => fires.map((one) => one.split(' ')[0])))
    expect(alertNames().filter((name) => !fired.has(name))).toEqual([])
  })
})

/** The name of the metric to which a series of a histogram belongs. */
const familyOf = (series: string) => series.replace(/_(bucket|count|sum)$/, '')

/**
 * The metrics of an API and a worker that have just started. With an empty database and no due schedule, no counter
 * grows.
 */
async function metricsOfProcesses(): Promise<string> {
  const env = withDatabase(stackEnv(), 'alerts')
  await resetDatabase(env)
  await postponeSchedules(env)
  await using api = await ApiProcess.start({}, env)
  await using worker = await WorkerProcess.start({ env })
  const metrics = await Promise.all(
    [api, worker].map(async ({ operationsUrl }) => (await fetch(`${operationsUrl}/metrics`)).text()),
  )
  return metrics.join('\n')
}

/** A worker that starts with an empty database runs every schedule at once, so the first worker only stores them. */
async function postponeSchedules(env: StackEnv): Promise<void> {
  await using superuser = await Superuser.open(env)
  await (await WorkerProcess.start({ env }))[Symbol.asyncDispose]()
  await superuser.query(`update schedules set due_at = 'infinity'`)
}

/** The contents of each metrics file that the backup scripts write. */
function metricsOfBackups(): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'backups-'))
  try {
    for (const kind of ['database', 'storage']) {
      const env = { PATH: '/usr/bin:/bin', BACKUP_METRICS_DIRECTORY: directory }
      execFileSync(join(root, 'deploy/backup/record-backup'), [kind], { env })
    }
    return readdirSync(directory).map((name) => textOf(join(directory, name)))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const metrics = [await metricsOfProcesses(), ...metricsOfBackups()].join('\n')

describe('the metrics of the backup scripts', () => {
  it('contain the time of each finished backup', () => {
    for (const kind of ['database', 'storage']) {
      const line = new RegExp(`^reelkeep_backup_finished_at\\{kind="${kind}"\\} (\\d+)$`, 'm')
      const secondsAgo = Date.now() / 1000 - Number(line.exec(metrics)?.[1])
      expect(secondsAgo).toBeLessThan(600)
      expect(secondsAgo).toBeGreaterThan(-1)
    }
  })

  it.skipIf(!hasPromtool)('are valid for Prometheus', () => {
    for (const input of metricsOfBackups()) {
      const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input })
      expect(status, String(stderr)).toBe(0)
    }
  })
})

/** Series whose growth a rule watches, by name and labels: `reelkeep_jobs_total{outcome="failed"}`. */
const growing = rules
  .flatMap((path) => [...textOf(path).matchAll(/(?:increase|rate)\((\w+(?:\{[^}]*\})?)\[/g)])
  .map(([, series = '']) => series)
  // The metric of storage requests has no series for an operation before its first request.
  .filter((series) => !series.startsWith('reelkeep_storage_request_seconds'))

type Matches = (labels: string) => boolean

/** Parses label matchers like Prometheus: `status=~"5..",detected_by!="client"`. */
const matchesOf = (selector: string): Matches[] =>
  [...selector.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, name, how = '', value = '']) => (labels) => {
    const text = new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? ''
    const isSo = how.endsWith('~') ? new RegExp(`^(?:${value})$`).test(text) : text === value
    return isSo === !how.startsWith('!')
  })

/** The labels of all series that match a selector and are still 0. */
function beforehand(series: string): string[] {
  const [, name = '', selector = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? []
  const lines = [...metrics.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? 0$`, 'gm'))]
  const matches = matchesOf(selector)
  return lines.map(([, labels = '']) => labels).filter((it) => matches.every((one) => one(it)))
}

describe('the exported metrics and recording rules', () => {
  it.each([...new Set(growing)])('contain %s with the value 0 before it grows', (series) => {
    expect(beforehand(series)).not.toEqual([])
  })

  it.each(operations.map(({ id }) => id))('contain the failures of %s with the value 0 from the start', (id) => {
    for (const status of [500, 503])
      expect(beforehand(`reelkeep_http_requests_total{operation="${id}",status="${status}"}`)).toHaveLength(1)
    expect(beforehand(`reelkeep_http_request_duration_seconds_count{operation="${id}"}`)).toHaveLength(1)
  })

  it('contain the playback failures of every kind of request with the value 0 from the start', () => {
    for (const status of [500, 503])
      expect(beforehand(`reelkeep_playback_responses_total{status="${status}"}`)).toHaveLength(playKinds.length + 1)
  })

  it('contain every metric that the rules and the dashboard use', () => {
    const known = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    const used = [...rules, join(root, 'deploy/monitoring/grafana/reelkeep.json')]
      .flatMap((path) => textOf(path).match(/\b(?:reelkeep|process|nodejs)_[a-z0-9_]+/g) ?? [])
      .filter((name) => !name.startsWith('reelkeep_slo'))
    // `processing_` is the prefix of some error codes, not a metric.
    const unknown = new Set(
      used.filter((name) => !known.has(name) && !known.has(familyOf(name)) && name !== 'processing_'),
    )
    expect(used.length).toBeGreaterThan(50)
    expect([...unknown]).toEqual([])
  })

  it('contain a recording rule for every recorded metric that an alert uses', () => {
    const recorded = new Set(textOf(rules[0] ?? '').match(/(?<=record: )\S+/g))
    const used = new Set(textOf(rules[1] ?? '').match(/reelkeep:\w+:\w+/g))
    expect([...used].filter((name) => !recorded.has(name))).toEqual([])
    expect(used.size).toBeGreaterThan(10)
  })
})
