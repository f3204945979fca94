/**
 * The model files; nothing else of their packages is used. Files with another hash are not loaded,
 * because their quality was not measured.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const moonshineAt = (name: string) =>
  new URL(`./model/tiny/quantized/${name}`, import.meta.resolve('@moonshine-ai/moonshine-js'))

export const weights = {
  encoder: {
    url: () => moonshineAt('encoder_model.onnx'),
    sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
  },
  decoder: {
    url: () => moonshineAt('decoder_model_merged.onnx'),
    sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
  },
  speech: {
    url: () => new URL(import.meta.resolve('@ricky0123/vad-web/dist/silero_vad_v5.onnx')),
    sha256: '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
  },
} as const

export type Weights = { readonly url: () => URL; readonly sha256: string }

export async function readWeights({ url, sha256 }: Weights): Promise<Uint8Array> {
  const bytes = await readFile(url())
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found === sha256) return bytes
  throw new Error(`${url().pathname} is not the expected model (SHA-256 ${found})`)
}

/** Returns why the models cannot be loaded; undefined if they can. */
export async function findWeightsError(): Promise<string | undefined> {
  try {
    for (const model of Object.values(weights)) await readWeights(model)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
