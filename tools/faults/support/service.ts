/** The service with faults: real servers, an API and a worker that can be killed and restarted. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  root,
  type Send,
  type StackEnv,
  setUpUploads,
  WorkerProcess,
} from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { NotificationRelay } from '../uploads/notification-proxy.ts'
import { patientSend } from '../uploads/send-with-retries.ts'
import type { Fault } from '../uploads/upload-schedule.ts'
import { ownStack } from './own-stack.ts'

const run = promisify(execFile)
const fault = (...args: string[]) => run(join(root, 'stack/fault'), args, { env: stackEnvironment })

/** Short, so that a schedule covers the whole life of a session. */
export const LIFETIME_SECONDS = 4
const TRANSFER_SECONDS_MAX = 4

const SECRET = 'only-for-fault-tests-0123456789abcdef'
const BUCKET = 'faulty-uploads'

const settings = {
  UPLOAD_LIFETIME_SECONDS: String(LIFETIME_SECONDS),
  UPLOAD_TRANSFER_SECONDS_MAX: String(TRANSFER_SECONDS_MAX),
  UPLOAD_FIRST_CHECK_SECONDS: '1',
  UPLOAD_SWEEP_SECONDS: '1',
  STORAGE_UPLOADS_BUCKET: BUCKET,
  STORAGE_EVENTS_SECRET: SECRET,
}

export class FaultyService implements AsyncDisposable {
  readonly env: StackEnv
  readonly #stack: AsyncDisposable
  #api: ApiProcess | undefined
  #worker: WorkerProcess | undefined
  readonly relay: NotificationRelay
  #organization: Caller | undefined
  /** Called when a caller is about to complete an upload. */
  onHint: () => void = () => {}

  private constructor(stack: Awaited<ReturnType<typeof ownStack>>, relay: NotificationRelay) {
    this.#stack = stack
    this.env = stack.env
    this.relay = relay
  }

  static async open(): Promise<FaultyService> {
    const stack = await ownStack()
    const { env } = stack
    // Above the ports of the stack itself.
    const port = Number(stackEnvironment.STACK_PORT) + 39
    let service: FaultyService | undefined
    const relay = await NotificationRelay.open(port, () => service?.operationsUrl)
    await setUpUploads(env, { ...settings, STORAGE_EVENTS_URL: `http://127.0.0.1:${port}` })
    service = new FaultyService(stack, relay)
    await service.start('api')
    await service.start('worker')
    await using owner = openOwner(env)
    const { organizationId, token } = await newOrganization(owner)
    const patient = patientSend(() => service.#api)
    const send: Send = (request) => {
      if (request.path.endsWith('/complete/')) service.onHint()
      return patient(request)
    }
    service.#organization = new Caller(send, organizationId, token)
    return service
  }

  get operationsUrl(): string | undefined {
    return this.#api?.operationsUrl
  }

  get bucket(): string {
    return BUCKET
  }

  /** Repeats requests while the service is unavailable, like a persistent client. */
  get caller(): Caller {
    if (!this.#organization) throw new Error('The service is not open yet')
    return this.#organization
  }

  async start(part: 'api' | 'worker', env: Record<string, string> = {}): Promise<void> {
    if (part === 'api') this.#api = await ApiProcess.start({ ...settings, ...env }, this.env)
    else
      this.#worker = await WorkerProcess.start({
        // The files are not videos, and processing is not tested here.
        settings: { ...settings, WORKER_ID: 'faulty', WORKER_QUEUES: 'light', ...env },
        env: this.env,
      })
  }

  async kill(part: 'api' | 'worker'): Promise<void> {
    if (part === 'api') {
      const api = this.#api
      this.#api = undefined
      await api?.stop('SIGKILL')
    } else await this.#worker?.stop('SIGKILL')
  }

  /** Causes the fault, waits, and repairs it. */
  async suffer({ what, forMilliseconds }: Pick<Fault, 'what' | 'forMilliseconds'>): Promise<void> {
    const away = () => sleep(forMilliseconds)
    if (what === 'api' || what === 'worker') {
      await this.kill(what)
      await away()
      await this.start(what)
    } else if (what === 'postgres') {
      await fault('postgres-kill')
      await away()
      await fault('postgres-restart')
    } else if (what === 'radosgw') {
      await fault('rgw-kill')
      await away()
      await fault('rgw-start')
    } else {
      await fault('osd-kill', '1')
      await away()
      await fault('osd-start', '1')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#api?.[Symbol.asyncDispose]()
    await this.#worker?.[Symbol.asyncDispose]()
    await this.relay[Symbol.asyncDispose]()
    await this.#stack[Symbol.asyncDispose]()
  }
}
