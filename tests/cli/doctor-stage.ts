/** `reelkeep doctor` as people run it, against a service that is set up well until a test spoils something. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '@reelkeep/contract'
import { examineByWords } from '@reelkeep/server/main/doctor.ts'
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
  runHere,
  type StackEnv,
  setUpUploads,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { ApiHere } from '@reelkeep/testkit/api-here'
import { buildProgram } from '../../cli/src/program.ts'
import { Running } from './command.ts'

type Finding = {
  readonly name: string
  readonly state: 'fine' | 'warning' | 'fault' | 'skipped'
  readonly detail: string
  readonly cure: string | null
  readonly seen_by?: string
}

export type Ran = {
  readonly code: number
  readonly findings: readonly Finding[]
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
}

/** Whoever meets a finding at night looks for its name here. */
const page = readFileSync(join(root, 'docs/operations/doctor.md'), 'utf8')

export const origin = 'https://studio.example'

/** Nobody listens there. Port 1 is one that `fetch` refuses to ask. */
export const nowhere = 'http://127.0.0.1:2'

/** Ceph takes up a new topic every 20 seconds or so, and later on a machine that is busy. */
const FIRST_NOTIFICATION_SECONDS_MAX = 90

type Who = { readonly url: string; readonly organizationId: string; readonly token: string }

export class DoctorStage implements AsyncDisposable {
  readonly env: StackEnv
  /** What API and worker are given beside the stack. */
  readonly settings: Record<string, string>
  readonly objects: Objects
  readonly #owner: Database

  private constructor(env: StackEnv, settings: Record<string, string>) {
    this.env = env
    this.settings = settings
    this.objects = new Objects(env, this.bucket)
    this.#owner = openOwner(env)
  }

  /** `purpose` names the database and the buckets. */
  static async open(purpose: string): Promise<DoctorStage> {
    const env = withDatabase(stackEnv(), `doctor_${purpose}`)
    await resetDatabase(env)
    const stage = new DoctorStage(env, {
      STORAGE_UPLOADS_BUCKET: `reelkeep-doctor-${purpose}`,
      STORAGE_MEDIA_BUCKET: `reelkeep-doctor-${purpose}-media`,
      STORAGE_EVENTS_SECRET: randomBytes(24).toString('hex'),
      API_ORIGINS: origin,
    })
    await stage.setUp()
    return stage
  }

  get bucket(): string {
    return this.settings['STORAGE_UPLOADS_BUCKET'] ?? ''
  }

  startApi(more: Record<string, string> = {}): Promise<ApiProcess> {
    return ApiProcess.start({ ...this.settings, ...more }, this.env)
  }

  /** The same in this process, where its clock is this machine's. */
  startApiHere(more: Record<string, string> = {}): Promise<ApiHere> {
    return ApiHere.start({ ...this.settings, ...more }, this.env)
  }

  /**
   * Makes the buckets what they should be; without an address storage is not told to notify anybody
   * else than before.
   */
  setUp(eventsUrl = ''): Promise<void> {
    return setUpUploads(this.env, { ...this.settings, STORAGE_EVENTS_URL: eventsUrl })
  }

  /** Sets up, and returns when storage has told this API of a file: from then on it tells at once. */
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
    throw new Error(`Storage told of no file within ${FIRST_NOTIFICATION_SECONDS_MAX} seconds`)
  }

  async newCaller(url: string, ...scopes: Scope[]): Promise<Who> {
    return { url, ...(await newOrganization(this.#owner, scopes)) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.objects[Symbol.dispose]()
    await this.#owner[Symbol.asyncDispose]()
  }
}

/** A program of ours, and what surrounds it. */
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

/** The command line's doctor, for people. */
export const startDoctor = (who: Who, ...given: readonly string[]): Running =>
  new Running(start({ entry: 'cli/src/main.ts', env: loginOf(who) }, ['doctor', ...given]))

/** The same at a terminal, where both streams are one. */
export function doctorAtTerminal(who: Who, ...given: readonly string[]): Running {
  const words = [process.execPath, join(root, 'cli/src/main.ts'), 'doctor', ...given]
  const line = `stty cols 100 rows 30; ${words.map((word) => `'${word}'`).join(' ')}`
  const env = { ...commandEnvironment, ...loginOf(who), PATH: '/usr/bin:/bin', TERM: 'xterm' }
  return new Running(spawn('script', ['-qefc', line, '/dev/null'], { env, stdio: 'pipe' }))
}

/** The same with `--json`, as a process. `surroundings` are more of the environment. */
export function doctorByProcess(
  who: Who,
  given: readonly string[] = [],
  surroundings: Record<string, string> = {},
): Promise<Ran> {
  const env = { ...loginOf(who), ...surroundings }
  return ran(new Running(start({ entry: 'cli/src/main.ts', env }, ['doctor', '--json', ...given])))
}

/** The same in this process, which takes less time. */
export async function doctor(who: Who, given: readonly string[] = []): Promise<Ran> {
  let [code, told] = [0, [] as readonly Finding[]]
  const program = buildProgram({
    environment: loginOf(who),
    stdin: process.stdin,
    interrupted: new AbortController().signal,
    output: () => ({
      ...{ item: () => {}, text: () => {}, note: () => {}, warning: () => {} },
      result: (value) => {
        told = (value as { findings: readonly Finding[] }).findings
      },
      ...{ isJson: true, isWatched: false },
    }),
    endWith: (exitCode) => {
      code = exitCode
    },
  })
  await program.parseAsync(['doctor', '--json', ...given], { from: 'user' })
  return judged(code, told)
}

/** The operator's doctor of the API, in this process. */
export async function serverDoctorHere({
  env,
  settings,
}: Pick<DoctorStage, 'env' | 'settings'>): Promise<Ran> {
  const surroundings = { ...env, ...settings }
  const { code, output, error } = await runHere(
    (around) => examineByWords(['api', '--json'], around),
    surroundings,
  )
  if (output === '') throw new Error(`The doctor found nothing to say:\n${error}`)
  return judged(code, (JSON.parse(output) as { findings: Finding[] }).findings)
}

/** The operator's doctor at the server. `before` is what it is started by, such as a namespace that lacks something. */
export function serverDoctor(
  part: 'api' | 'worker',
  { env, settings }: Pick<DoctorStage, 'env' | 'settings'>,
  before: readonly string[] = [],
): Promise<Ran> {
  return ran(startServerDoctor([part, '--json'], { env, settings }, before))
}

export function startServerDoctor(
  given: readonly string[],
  { env, settings }: Pick<DoctorStage, 'env' | 'settings'>,
  before: readonly string[] = [],
): Running {
  const surroundings = { ...env, ...settings }
  return new Running(
    start({ entry: 'server/src/main/doctor.ts', env: surroundings, before }, given),
  )
}

async function ran(running: Running): Promise<Ran> {
  const { code, stdout: output, stderr: error } = await running.ended()
  if (output === '') throw new Error(`The doctor found nothing to say:\n${error}`)
  return judged(Number(code), (JSON.parse(output) as { findings: Finding[] }).findings)
}

function judged(code: number, findings: readonly Finding[]): Ran {
  const untold = findings.filter(({ name }) => !page.includes(`| \`${name}\` |`))
  if (untold.length > 0)
    throw new Error(`docs/operations/doctor.md lacks ${JSON.stringify(untold)}`)
  const named = (state: Finding['state']) => [
    ...new Set(findings.filter((found) => found.state === state).map(({ name }) => name)),
  ]
  return { code, findings, faults: named('fault'), warnings: named('warning') }
}

export const cureOf = ({ findings }: Ran, name: string): string =>
  findings.find((found) => found.name === name)?.cure ?? ''
