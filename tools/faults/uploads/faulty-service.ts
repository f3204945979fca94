/**
 * A service in which faults can be injected: real servers, and an API and a worker that can be killed and restarted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Action,
  Caller,
  changeResponse,
  type Exchange,
  HttpProxy,
  newCaller,
  Objects,
  respond,
  type Send,
  type StackEnv,
  setUpUploads,
} from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { KillableService, type Part } from '../support/killable-service.ts'
import { ownStack } from '../support/own-stack.ts'
import { sendWithRetries } from '../support/send-with-retries.ts'
import { Servers } from '../support/servers.ts'
import { LIFETIME_SECONDS } from './upload-actions.ts'
import type { Fault, NotificationMode } from './upload-schedule.ts'

const TRANSFER_SECONDS_MAX = 4

const BUCKET = 'faulty-uploads'

const settings = {
  UPLOAD_LIFETIME_SECONDS: String(LIFETIME_SECONDS),
  UPLOAD_TRANSFER_SECONDS_MAX: String(TRANSFER_SECONDS_MAX),
  UPLOAD_FIRST_CHECK_SECONDS: '1',
  UPLOAD_SWEEP_SECONDS: '1',
  // The worker processes no videos, because these tests upload other files and do not test processing.
  WORKER_QUEUES: 'light',
  STORAGE_UPLOADS_BUCKET: BUCKET,
  STORAGE_EVENTS_SECRET: 'only-for-fault-tests-0123456789abcdef',
}

export class FaultyService implements AsyncDisposable {
  readonly env: StackEnv
  readonly objects: Objects
  /** Repeats requests while the service is unavailable, like a persistent client. */
  readonly caller: Caller
  /** Called when the caller is about to complete an upload. */
  onComplete: () => void = () => {}
  readonly #stack: AsyncDisposable
  readonly #service: KillableService
  readonly #servers = new Servers()
  /** Proxy for the notifications that storage sends to the service. */
  readonly #notifications: HttpProxy
  /** Delayed notifications, which are sent after the next notification. */
  readonly #delayed: Exchange[] = []

  private constructor(
    stack: Awaited<ReturnType<typeof ownStack>>,
    service: KillableService,
    notifications: HttpProxy,
    caller: Caller,
  ) {
    this.#stack = stack
    this.env = stack.env
    this.objects = new Objects(stack.env, BUCKET)
    this.#service = service
    this.#notifications = notifications
    const sendRepeatedly = sendWithRetries(() => service.api)
    const send: Send = (request) => {
      if (request.path.endsWith('/complete/')) this.onComplete()
      return sendRepeatedly(request)
    }
    this.caller = new Caller(send, caller.organizationId, caller.token)
  }

  static async open(): Promise<FaultyService> {
    const stack = await ownStack()
    const { env } = stack
    // A port that the servers of the stack do not use.
    const port = Number(stackEnvironment.STACK_PORT) + 39
    const notifications = await HttpProxy.open('http://127.0.0.1:1', port)
    await setUpUploads(env, { ...settings, STORAGE_EVENTS_URL: notifications.url })
    const service = await KillableService.start({ env, settings })
    notifications.target = service.api?.operationsUrl ?? ''
    return new FaultyService(stack, service, notifications, await newCaller(service.send, env))
  }

  /** Kills the API without warning, and starts it again with these additional settings. */
  async restartApi(more: Record<string, string> = {}): Promise<void> {
    await this.#service.kill('api')
    await this.#start('api', more)
  }

  async #start(part: Part, more: Record<string, string> = {}): Promise<void> {
    await this.#service.start(part, more)
    this.#notifications.target = this.#service.api?.operationsUrl ?? this.#notifications.target
  }

  /** Causes the fault, waits, and repairs it. */
  async inject({ target, forMilliseconds }: Fault): Promise<void> {
    if (target !== 'api' && target !== 'worker') return this.#servers.takeDown(target, forMilliseconds)
    const part = target === 'api' ? 'api' : 0
    await this.#service.kill(part)
    await sleep(forMilliseconds)
    await this.#start(part)
  }

  /** Sets how storage notifications are handled from then on. */
  setNotifications(mode: NotificationMode): void {
    const sendDelayed = async () => {
      for (const exchange of this.#delayed.splice(0)) await exchange.send()
    }
    const deliver = changeResponse(async (response, exchange) => {
      if (mode === 'duplicated') await exchange.send()
      await sendDelayed()
      return response
    })
    const delayFirst: Action<Exchange> = async (exchange) => {
      await exchange.body()
      if (this.#delayed.length > 0) return deliver(exchange)
      this.#delayed.push(exchange)
      return respond(200)(exchange)
    }
    const actions: Record<NotificationMode, Action<Exchange>> = {
      ...{ delivered: deliver, duplicated: deliver },
      ...{ lost: respond(200), 'out of order': delayFirst },
    }
    this.#notifications.rules = [{ action: actions[mode] }]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]()
    await this.#notifications[Symbol.asyncDispose]()
    this.objects[Symbol.dispose]()
    await this.#stack[Symbol.asyncDispose]()
  }
}
