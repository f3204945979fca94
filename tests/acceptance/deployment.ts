import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope, tokens } from '@reelkeep/contract'
import {
  ApiProcess,
  Caller,
  externalService,
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

/** Whether the suite tests an existing deployment, in which it cannot create organizations or change settings. */
export const isExternal = externalService.baseUrl !== undefined

/** Maximum number of retries after a response 429 of an existing deployment. */
const RETRIES_MAX = 3
const EXTERNAL_TEST_SECONDS_MAX = 240

// The timeout must be set when this file is loaded, because vitest reads it when a test is defined.
if (isExternal) vi.setConfig({ testTimeout: EXTERNAL_TEST_SECONDS_MAX * 1000 })

type Account = readonly [organizationId: string, token: string]

/**
 * The service under test: a base URL and a token for each of two organizations.
 *
 * The organizations need not be empty, so a test finds its own resources by a unique text (`unique`) or in its own
 * folder. These resources are deleted at the end.
 */
export class Deployment implements AsyncDisposable {
  readonly baseUrl: string
  readonly send: Send
  /** A client with all scopes. */
  readonly mine: Caller
  /** A client of another organization with all scopes. */
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

  /** The deployment in the environment variables, or a new one with new organizations. */
  static async open(settings: Record<string, string> = {}): Promise<Deployment> {
    if (externalService.baseUrl === undefined) {
      const api = await ApiProcess.start(settings)
      const accounts = [await newAccount(), await newAccount()] as const
      return new Deployment(api.baseUrl, accounts, api)
    }
    const [mine, other] = externalService.organizations
    return new Deployment(externalService.baseUrl, [named(mine), named(other)])
  }

  /**
   * A deployment that receives storage notifications. The bucket is named after `purpose` and reused, because
   * storage delays the first notification of a new bucket.
   */
  static async openNotified(purpose: string, settings: Record<string, string> = {}): Promise<Deployment> {
    const storage = {
      STORAGE_UPLOADS_BUCKET: `reelkeep-${purpose}`,
      STORAGE_EVENTS_SECRET: randomBytes(24).toString('hex'),
    }
    const deployment = await Deployment.open({ ...storage, ...settings })
    const api = deployment.#api
    if (api) await setUpUploads(stackEnv(), { ...storage, STORAGE_EVENTS_URL: api.operationsUrl })
    return deployment
  }

  /** A deployment with a worker that sweeps open sessions, without storage notifications. */
  static async openSwept(settings: Record<string, string> = {}): Promise<Deployment> {
    const deployment = await Deployment.open(settings)
    if (!isExternal) deployment.#worker = await WorkerProcess.start({ settings })
    return deployment
  }

  /** A client of a new, empty organization. Not available in an existing deployment. */
  async newOrganization(): Promise<Caller> {
    return new Caller(this.send, ...(await newAccount()))
  }

  /** A unique text. The title of every resource that a test creates at the root contains one. */
  unique(): string {
    return `${this.#mark}${randomBytes(4).toString('hex')}`
  }

  /** A client with a new token with the given scopes. */
  async newToken(scopes: readonly Scope[], more: object = {}): Promise<Caller> {
    const input = { name: this.#mark, scopes, ...more }
    const { status, body, text } = await this.mine.post<tokens.NewToken>('tokens/', input)
    if (status !== 201) throw new Error(`Cannot create a token: ${text}`)
    this.#tokenIds.push(body.id)
    return this.mine.withToken(body.token)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (isExternal) await this.#deleteOwnResources()
    await this.#worker?.stop()
    await this.#api?.stop()
  }

  async #deleteOwnResources(): Promise<void> {
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
    let response = await fetch(baseUrl + path, request)
    for (let retries = 0; isExternal && response.status === 429 && retries < RETRIES_MAX; retries++) {
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000)
      response = await fetch(baseUrl + path, request)
    }
    const text = await response.text()
    return { status: response.status, headers: Object.fromEntries(response.headers), text }
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

function named([organizationId, token]: (typeof externalService.organizations)[number]): Account {
  if (organizationId && token) return [organizationId, token]
  throw new Error('An existing deployment needs two organizations, see tests/acceptance/README.md.')
}
