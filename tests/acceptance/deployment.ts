import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope, tokens } from '@reelkeep/contract'
import {
  ApiProcess,
  Caller,
  judged,
  newOrganization,
  openOwner,
  type Send,
  setUpUploads,
  stackEnv,
  WorkerProcess,
} from '@reelkeep/testkit'
import { vi } from 'vitest'
import { deleteMarkedAssets } from './assets.ts'
import { deleteMarkedFolders } from './folders.ts'

/** Somebody else runs the service: no organization can be made, no setting changed, nothing is empty. */
export const isJudged = judged.baseUrl !== undefined

/** A deployment of somebody else's may tell us to wait; it seldom does so twice in a row. */
const WAITS_MAX = 3
const JUDGED_TEST_SECONDS_MAX = 240

// A test keeps the time it was given when its file was read, so this cannot wait until one runs.
if (isJudged) vi.setConfig({ testTimeout: JUDGED_TEST_SECONDS_MAX * 1000 })

type Account = readonly [organizationId: string, token: string]

/**
 * The service as a stranger meets it: an address, and a token for each of two organizations.
 *
 * It may be anybody's and hold anything, so a test finds its own things by a text of its own
 * (`unique`) or in a folder of its own, and what it made is taken away at the end.
 */
export class Deployment implements AsyncDisposable {
  readonly baseUrl: string
  readonly send: Send
  /** A caller who may do everything in its organization. */
  readonly mine: Caller
  /** The same in another organization. */
  readonly other: Caller
  readonly #mark = randomBytes(5).toString('hex')
  readonly #tokenIds: string[] = []
  readonly #api: ApiProcess | undefined
  #worker: WorkerProcess | undefined

  private constructor(baseUrl: string, accounts: readonly [Account, Account], api?: ApiProcess) {
    this.baseUrl = baseUrl.replace(/\/+$/, '')
    this.send = sendTo(this.baseUrl)
    this.mine = new Caller(this.send, ...accounts[0])
    this.other = new Caller(this.send, ...accounts[1])
    this.#api = api
  }

  /** The one that the environment names, or else one of our own with new organizations. */
  static async open(settings: Record<string, string> = {}): Promise<Deployment> {
    if (judged.baseUrl === undefined) {
      const api = await ApiProcess.start(settings)
      const accounts = [await newAccount(), await newAccount()] as const
      return new Deployment(api.baseUrl, accounts, api)
    }
    const [mine, other] = judged.organizations
    return new Deployment(judged.baseUrl, [named(mine), named(other)])
  }

  /**
   * The same, and storage tells the service what has arrived. Its bucket bears the `purpose` in its name: a
   * new one for every run would have storage take its time before it sends the first event.
   */
  static async openNotified(
    purpose: string,
    settings: Record<string, string> = {},
  ): Promise<Deployment> {
    const storage = {
      STORAGE_UPLOADS_BUCKET: `reelkeep-${purpose}`,
      STORAGE_EVENTS_SECRET: randomBytes(24).toString('hex'),
    }
    const deployment = await Deployment.open({ ...storage, ...settings })
    const api = deployment.#api
    if (api) await setUpUploads(stackEnv(), { ...storage, STORAGE_EVENTS_URL: api.operationsUrl })
    return deployment
  }

  /** The same, and a worker looks at what is open; storage tells nothing. */
  static async openSwept(settings: Record<string, string> = {}): Promise<Deployment> {
    const deployment = await Deployment.open(settings)
    if (!isJudged) deployment.#worker = await WorkerProcess.start({ settings })
    return deployment
  }

  /** An organization in which nothing is yet. Only in a deployment of our own. */
  async newOrganization(): Promise<Caller> {
    return new Caller(this.send, ...(await newAccount()))
  }

  /** A text that occurs nowhere else. Every title at the root holds one. */
  unique(): string {
    return `${this.#mark}${randomBytes(4).toString('hex')}`
  }

  /** A caller of my organization who may do this much. */
  async newToken(scopes: readonly Scope[], more: object = {}): Promise<Caller> {
    const wish = { name: this.#mark, scopes, ...more }
    const { status, body, text } = await this.mine.post<tokens.NewToken>('tokens/', wish)
    if (status !== 201) throw new Error(`No token to be had: ${text}`)
    this.#tokenIds.push(body.id)
    return this.mine.withToken(body.token)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (isJudged) await this.#tidy()
    await this.#worker?.stop()
    await this.#api?.stop()
  }

  async #tidy(): Promise<void> {
    for (const id of this.#tokenIds) await this.mine.delete(`tokens/${id}/`)
    for (const caller of [this.mine, this.other]) {
      await deleteMarkedAssets(caller, this.#mark)
      await deleteMarkedFolders(caller, this.#mark)
    }
  }
}

function sendTo(baseUrl: string): Send {
  return async ({ method, path, headers, body }) => {
    const request = { method, headers, body: body ?? null }
    let answer = await fetch(baseUrl + path, request)
    for (let waits = 0; isJudged && answer.status === 429 && waits < WAITS_MAX; waits++) {
      await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1000)
      answer = await fetch(baseUrl + path, request)
    }
    const text = await answer.text()
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text }
  }
}

async function newAccount(): Promise<Account> {
  const owner = openOwner()
  try {
    const { organizationId, token } = await newOrganization(owner)
    return [organizationId, token]
  } finally {
    await owner[Symbol.asyncDispose]()
  }
}

function named([organizationId, token]: (typeof judged.organizations)[number]): Account {
  if (organizationId && token) return [organizationId, token]
  throw new Error('The judged service needs two organizations: see tests/acceptance/README.md.')
}
