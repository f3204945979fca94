import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { describe, expect, it } from 'vitest'
import { type Job, workflowErrors, workflows } from './workflow-file.ts'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }

/** Permissions to write, for the jobs that need them. All other jobs read the repository at most. */
const mayWrite: Readonly<Record<string, readonly string[]>> = {
  'release.yml images': ['packages', 'id-token'],
  'release.yml npm': ['id-token'],
  'release.yml release': ['contents'],
}

const actionsOf = ({ uses, steps = [] }: Job) => [uses, ...steps.map((step) => step.uses)].filter((one) => one != null)

it('the parser refuses unknown keys, permissions, jobs and variables', async () => {
  const job = { 'runs-on': 'x', steps: [{ run: 'true' }] }
  const errors = (changes: object) =>
    workflowErrors(JSON.stringify({ on: 'push', jobs: { job: { ...job, ...changes } } }))
  expect(await errors({})).toEqual([])
  expect(await errors({ step: [] })).toHaveLength(1)
  expect(await errors({ permissions: { package: 'write' } })).toHaveLength(1)
  expect(await errors({ needs: 'other' })).toHaveLength(1)
  expect(await errors({ env: { SHA: `\${{ githib.sha }}` } })).toHaveLength(1)
})

describe.each(workflows)('the workflow $file', ({ file, text, permissions, jobs }) => {
  const jobList = Object.entries(jobs)
  const steps = jobList.flatMap(([, job]) => job.steps ?? [])
  const commands = steps.flatMap(({ run }) => run ?? [])

  it('is valid', async () => {
    expect(await workflowErrors(text)).toEqual([])
  })

  it('pins every action by commit, with the version beside it', () => {
    const lines = [...text.matchAll(/\buses: (.*)/g)].map(([, action]) => `${action}`)
    expect(lines).toHaveLength(jobList.flatMap(([, job]) => actionsOf(job)).length)
    const local = lines.filter((line) => line.startsWith('./'))
    expect(local.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
    expect(lines.filter((line) => !local.includes(line) && !pinned.test(line))).toEqual([])
  })

  it('gives each job only the permissions that it needs', () => {
    expect(permissions).toEqual({})
    for (const [name, job] of jobList) {
      const { contents, ...others } = job.permissions ?? {}
      const writes = Object.entries({ contents, ...others }).filter(([, access]) => access === 'write')
      expect(writes.map(([scope]) => scope).sort(), name).toEqual([...(mayWrite[`${file} ${name}`] ?? [])].sort())
      expect(Object.values(others), name).not.toContain('read')
    }
  })

  it('keeps no credentials in the checkout', () => {
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with).toMatchObject({ 'persist-credentials': false })
  })

  it('limits the time of every job', () => {
    const unlimited = jobList.filter(([, job]) => !job.uses && job['timeout-minutes'] === undefined)
    expect(unlimited.map(([name]) => name)).toEqual([])
  })

  it('contains no expression in a command, where its value would be executed', () => {
    expect(commands.filter((command) => command.includes('${{'))).toEqual([])
  })

  it('has commands that bash can parse', () => {
    for (const command of commands)
      expect(spawnSync('bash', ['-n'], { input: command, encoding: 'utf8' }).stderr).toBe('')
  })

  it('runs only scripts and files of the repository that exist', () => {
    const code = text.replace(/^\s*#.*$/gm, '')
    const names = [...code.matchAll(/\bpnpm (?:--\S+ )*([\w:]+)/g)].map(([, name]) => name)
    expect(names.filter((name) => name !== 'install' && !(`${name}` in scripts))).toEqual([])
    const paths = [...code.matchAll(/(?<![\w./])(?:\.ci|deploy|stack|tests|tools)\/[\w./-]+/g)].map(([path]) => path)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(names.length + paths.length).toBeGreaterThan(0)
  })
})

it('every container of a workflow is the image that the release check requires to be pinned', () => {
  const settings = readFileSync(join(root, 'tools/release/images.env'), 'utf8')
  const images = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(({ container }) => container?.image ?? []))
  expect(new Set(images)).toEqual(new Set([/^CI_IMAGE=(.*)$/m.exec(settings)?.[1]]))
})

it('all workflows use the same commit of an action', () => {
  const actions = new Set(workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(actionsOf)))
  const names = [...actions].map((action) => action.replace(/@.*/, ''))
  expect(names).toEqual([...new Set(names)])
})

it('jobs that publish to npm or GitHub run no code of the repository', () => {
  const release = workflows.find(({ file }) => file === 'release.yml')
  for (const name of ['npm', 'release']) {
    const actions = actionsOf(release?.jobs[name] ?? {})
    expect(actions).not.toEqual([])
    expect(actions.filter((action) => action.startsWith('actions/checkout@'))).toEqual([])
  }
})
