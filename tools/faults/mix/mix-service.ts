/**
 * The service under test: two API instances and two workers. Each has its own connection to Postgres, to its standby
 * and to storage, and each worker has a disk of its own, so that a fault can concern one of them.
 */
import { ApiProcess, freePort, HttpProxy, type StackEnv, TcpProxy, WorkerProcess } from '@reelkeep/testkit'
import { mountSmallDisk } from '../../../media/testing/disks/small-disk.ts'
import { Instance } from './instance.ts'

/** Enough for the worst case of several steps at once. */
export const SCRATCH_KILOBYTES = 8 * 1024 ** 2

const APIS = 2
const WORKERS = 2

type ScratchDisk = ReturnType<typeof mountSmallDisk>

/** An instance with its connections. Only workers have a disk. */
export type Node = {
  readonly instance: Instance
  readonly postgres: TcpProxy
  readonly storage: HttpProxy
  readonly disk: ScratchDisk | undefined
}

export type MixOptions = {
  readonly env: StackEnv
  readonly standbyPort: number
  readonly settings: Record<string, string>
}

export class MixService implements AsyncDisposable {
  readonly apis: Node[] = []
  readonly workers: Node[] = []
  /** Connection of clients to storage, for uploads. */
  readonly uploads: HttpProxy
  readonly #apiUrls: string[] = []
  readonly #resources: (Disposable | AsyncDisposable)[] = []
  #requests = 0

  private constructor(uploads: HttpProxy) {
    this.uploads = uploads
  }

  static async start(options: MixOptions): Promise<MixService> {
    const service = new MixService(await HttpProxy.open(options.env.STORAGE_ENDPOINT))
    for (let number = 1; number <= APIS; number++) service.apis.push(await service.#newApi(options, number))
    for (let number = 1; number <= WORKERS; number++) service.workers.push(await service.#newWorker(options, number))
    await Promise.all(service.nodes.map(({ instance }) => instance.start()))
    return service
  }

  get nodes(): readonly Node[] {
    return [...this.apis, ...this.workers]
  }

  /** URL of an API instance, of another one each time, also if it does not run. */
  get baseUrl(): string {
    return this.#apiUrls[this.#requests++ % this.#apiUrls.length] as string
  }

  async #newApi(options: MixOptions, number: number): Promise<Node> {
    const { env, ...proxies } = await this.#connect(options)
    const port = String(await freePort())
    this.#apiUrls.push(`http://127.0.0.1:${port}`)
    const settings = { ...options.settings, STORAGE_PUBLIC_ENDPOINT: this.uploads.url, PORT: port }
    const instance = new Instance('api', `api-${number}`, () => ApiProcess.start(settings, env))
    return { instance, ...proxies, disk: undefined }
  }

  async #newWorker(options: MixOptions, number: number): Promise<Node> {
    const { env, ...proxies } = await this.#connect(options)
    const disk = mountSmallDisk(SCRATCH_KILOBYTES)
    this.#resources.push(disk)
    const name = `worker-${number}`
    const settings = { ...options.settings, WORKER_ID: name, TMPDIR: disk.directory }
    const instance = new Instance('worker', name, () => WorkerProcess.start({ settings, env }))
    return { instance, ...proxies, disk }
  }

  async #connect({ env, standbyPort }: MixOptions) {
    const postgres = await TcpProxy.open(env.DATABASE_URL)
    const standby = await TcpProxy.open(`postgres://127.0.0.1:${standbyPort}`)
    const storage = await HttpProxy.open(env.STORAGE_ENDPOINT)
    this.#resources.push(postgres, standby, storage)
    const hosts = [postgres, standby].map(({ url }) => `127.0.0.1:${portOf(url)}`).join(',')
    const both = (address: string) => address.replace(/@[^/]+/, `@${hosts}`)
    const proxied: StackEnv = {
      ...env,
      DATABASE_URL: both(env.DATABASE_URL),
      DATABASE_WORKER_URL: both(env.DATABASE_WORKER_URL),
      STORAGE_ENDPOINT: storage.url,
    }
    return { env: proxied, postgres, storage }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map(({ instance }) => instance[Symbol.asyncDispose]()))
    await this.uploads[Symbol.asyncDispose]()
    for (const resource of this.#resources) {
      if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]()
      else resource[Symbol.dispose]()
    }
  }
}

export const portOf = (url: string) => Number(new URL(url).port)
