/** A server with OpenAI's API for embeddings, with a real model for English: the Universal Sentence Encoder. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export class EmbeddingsModel implements AsyncDisposable {
  readonly baseUrl: string
  readonly #worker: Worker

  private constructor(baseUrl: string, worker: Worker) {
    this.baseUrl = baseUrl
    this.#worker = worker
  }

  /** In a thread, because the model calculates for seconds and listens to the errors of its process. */
  static async start(): Promise<EmbeddingsModel> {
    const worker = new Worker(new URL('./model-server.ts', import.meta.url))
    const [port] = (await once(worker, 'message')) as [number]
    return new EmbeddingsModel(`http://127.0.0.1:${port}`, worker)
  }

  /** All requests fail with this status, or succeed if it is undefined. */
  async failWith(status: number | undefined): Promise<void> {
    this.#worker.postMessage(status ?? null)
    await once(this.#worker, 'message')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
