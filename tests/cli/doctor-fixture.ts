/** Runs `reelkeep doctor` against a working service, in which tests then cause failures. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '@reelkeep/contract'
import { runDoctor } from '@reelkeep/server/main/doctor.ts'
import type { Database } from '@reelkeep/server/platform/db/database.ts'
import {
  ApiProcess,
  Caller,
  commandEnvironment,
  newOrganization,
  Objects,
  openOwner,
  openSession,
  postForm,
  resetDatabase,
  root,
  runInProcess,
  type StackEnv,
  setUpUploads,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { InProcessApi } from '@reelkeep/testkit/in-process-api'
import { buildProgram } from '../../cli/src/program.ts'
import { Running } from './cli-fixture.ts'

type CheckResult = {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly detail: string
  readonly hint: string | null
  readonly operations_url?: string
}

export type CommandResult = {
  readonly code: number
  readonly results: readonly CheckResult[]
  readonly failures: readonly string[]
  readonly warnings: readonly string[]
}

/** The page that must document the name of every check. */
const page = readFileSync(join(root, 'docs/operations/doctor.md'), 'utf8')

export const origin = 'https://studio.example'

/** A URL at which no server listens. Not port 1, because `fetch` rejects it. */
export const nowhere = 'http://127.0.0.1:2'

/** Ceph detects a new notification topic after about 20 seconds, and later on a busy machine. */
const FIRST_NOTIFICATION_SECONDS_MAX = 90

type Who = { readonly url: string; readonly organizationId: string; readonly token: string }

export class DoctorFixture implements AsyncDisposable {
  readonly env: StackEnv
  /** Settings of the API and the worker, in addition to those of the development servers (`env`). */
  readonly settings: Record<string, string>
  readonly objects: Objects
  readonly #owner: Database

  private constructor(env: StackEnv, settings: Record<string, string>) {
    this.env = env
    this.settings = settings
    this.objects = new Objects(env, this.bucket)
    this.#owner = openOwner(env)
  }

  /** `purpose` is part of the name of the database and the buckets. */
  static async open(purpose: string): Promise<DoctorFixture> {
    const env = withDatabase(stackEnv(), `doctor_${purpose}`)
    await resetDatabase(env)
    const fixture = new DoctorFixture(env, {
      STORAGE_UPLOADS_BUCKET: `reelkeep-doctor-${purpose}`,
      STORAGE_MEDIA_BUCKET: `reelkeep-doctor-${purpose}-media`,
      STORAGE_EVENTS_SECRET: randomBytes(24).toString('hex'),
      API_ORIGINS: origin,
    })
    await fixture.setUp()
    return fixture
  }

  get bucket(): string {
    return this.settings['STORAGE_UPLOADS_BUCKET'] ?? ''
  }

  startApi(more: Record<string, string> = {}): Promise<ApiProcess> {
    return ApiProcess.start({ ...this.settings, ...more }, this.env)
  }

  /** Starts the API in this process, with the clock of this machine. */
  startApiHere(more: Record<string, string> = {}): Promise<InProcessApi> {
    return InProcessApi.start({ ...this.settings, ...more }, this.env)
  }

  /** Sets up the buckets. Without a URL, the notification target is not changed. */
  setUp(eventsUrl = ''): Promise<void> {
    return setUpUploads(this.env, { ...this.settings, STORAGE_EVENTS_URL: eventsUrl })
  }

  /** Sets up the buckets and waits for the first notification; later ones arrive immediately. */
  async notify(api: ApiProcess): Promise<void> {
    await this.setUp(api.operationsUrl)
    const { organizationId, token } = await this.newCaller(api.baseUrl)
    const caller = new Caller(api.send, organizationId, token)
    const opened = await openSession(caller)
    await postForm(opened)
    const path = `assets/upload-sessions/${opened.upload_session.uuid}/`
    const deadline = performance.now() + FIRST_NOTIFICATION_SECONDS_MAX * 1000
    while (performance.now() < deadline) {
      const { body } = await caller.get<{ status: string }>(path)
      if (body.status === 'Completed') return
      await sleep(200)
    }
    throw new Error(`Storage sent no notification within ${FIRST_NOTIFICATION_SECONDS_MAX} seconds`)
  }

  async newCaller(url: string, ...scopes: Scope[]): Promise<Who> {
    return { url, ...(await newOrganization(this.#owner, scopes)) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.objects[Symbol.dispose]()
    await this.#owner[Symbol.asyncDispose]()
  }
}

/** How a command is started: its program, its environment, and a command that starts the program (`before`). */
type Start = {
  readonly entry: string
  readonly env: Record<string, string>
  readonly before?: readonly string[]
}

function start({ entry, env, before = [] }: Start, given: readonly string[]): ChildProcess {
  const [program = '', ...rest] = [...before, process.execPath, join(root, entry), ...given]
  const surroundings = { ...commandEnvironment, PATH: '/usr/bin:/bin', ...env }
  return spawn(program, rest, { env: surroundings, stdio: ['ignore', 'pipe', 'pipe'] })
}

const loginOf = ({ url, organizationId, token }: Who) => ({
  REELKEEP_URL: url,
  REELKEEP_ORGANIZATION: organizationId,
  REELKEEP_TOKEN: token,
  XDG_CONFIG_HOME: '/nonexistent',
})

/** Starts `reelkeep doctor` as a process, with text output. */
export const startDoctor = (who: Who, ...given: readonly string[]): Running =>
  new Running(start({ entry: 'cli/src/main.ts', env: loginOf(who) }, ['doctor', ...given]))

/** Starts `reelkeep doctor` in a terminal, where stdout and stderr are one stream. */
export function doctorAtTerminal(who: Who, ...given: readonly string[]): Running {
  const words = [process.execPath, join(root, 'cli/src/main.ts'), 'doctor', ...given]
  const line = `stty cols 100 rows 30; ${words.map((word) => `'${word}'`).join(' ')}`
  const env = { ...commandEnvironment, ...loginOf(who), PATH: '/usr/bin:/bin', TERM: 'xterm' }
  return new Running(spawn('script', ['-qefc', line, '/dev/null'], { env, stdio: 'pipe' }))
}

/** Runs `reelkeep doctor --json` as a process. `surroundings` are added to the environment. */
export function doctorProcess(
  who: Who,
  given: readonly string[] = [],
  surroundings: Record<string, string> = {},
): Promise<CommandResult> {
  const env = { ...loginOf(who), ...surroundings }
  return ran(new Running(start({ entry: 'cli/src/main.ts', env }, ['doctor', '--json', ...given])))
}

/** Runs `reelkeep doctor --json` in this process, which is faster than in another process. */
export async function doctor(who: Who, given: readonly string[] = []): Promise<CommandResult> {
  let [code, results] = [0, [] as readonly CheckResult[]]
  const program = buildProgram({
    environment: loginOf(who),
    stdin: process.stdin,
    interrupted: new AbortController().signal,
    output: () => ({
      ...{ item: () => {}, text: () => {}, note: () => {}, warning: () => {} },
      result: (value) => {
        results = (value as { results: readonly CheckResult[] }).results
      },
      ...{ isJson: true, isInteractive: false },
    }),
    setExitCode: (exitCode) => {
      code = exitCode
    },
  })
  await program.parseAsync(['doctor', '--json', ...given], { from: 'user' })
  return toResult(code, results)
}

/** Runs the server's doctor for the API, in this process. */
export async function serverDoctorHere({
  env,
  settings,
}: Pick<DoctorFixture, 'env' | 'settings'>): Promise<CommandResult> {
  const surroundings = { ...env, ...settings }
  const { code, output, error } = await runInProcess((io) => runDoctor(['api', '--json'], io), surroundings)
  if (output === '') throw new Error(`The doctor printed no results:\n${error}`)
  return toResult(code, (JSON.parse(output) as { results: CheckResult[] }).results)
}

/** Runs the server's doctor as a process. `before` is a command that starts it, for example in a mount namespace. */
export function serverDoctor(
  part: 'api' | 'worker',
  { env, settings }: Pick<DoctorFixture, 'env' | 'settings'>,
  before: readonly string[] = [],
): Promise<CommandResult> {
  return ran(startServerDoctor([part, '--json'], { env, settings }, before))
}

export function startServerDoctor(
  given: readonly string[],
  { env, settings }: Pick<DoctorFixture, 'env' | 'settings'>,
  before: readonly string[] = [],
): Running {
  const surroundings = { ...env, ...settings }
  return new Running(start({ entry: 'server/src/main/doctor.ts', env: surroundings, before }, given))
}

async function ran(running: Running): Promise<CommandResult> {
  const { code, stdout: output, stderr: error } = await running.ended()
  if (output === '') throw new Error(`The doctor printed no results:\n${error}`)
  return toResult(Number(code), (JSON.parse(output) as { results: CheckResult[] }).results)
}

function toResult(code: number, results: readonly CheckResult[]): CommandResult {
  const undocumented = results.filter(({ name }) => !page.includes(`| \`${name}\` |`))
  if (undocumented.length > 0) throw new Error(`docs/operations/doctor.md lacks ${JSON.stringify(undocumented)}`)
  const named = (status: CheckResult['status']) => [
    ...new Set(results.filter((result) => result.status === status).map(({ name }) => name)),
  ]
  return { code, results, failures: named('failed'), warnings: named('warning') }
}

export const hintOf = ({ results }: CommandResult, name: string): string =>
  results.find((result) => result.name === name)?.hint ?? ''
