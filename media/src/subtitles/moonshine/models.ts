/** The models for speech detection and transcription. Inference blocks the thread, so it runs in a separate process. */
import llamaTokenizer from 'llama-tokenizer-js'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { SAMPLES_PER_SECOND } from '../transcription/transcriber.ts'
import type { ScoredWindow } from './speech-segments.ts'
import { readWeights, type Weights, weights } from './weights.ts'

export async function loadModel(model: Weights, threads: number): Promise<InferenceSession> {
  const options = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  }
  return InferenceSession.create(await readWeights(model), options)
}

/**
 * The input of the speech detection model (Silero) includes the end of the previous window. Its state is passed
 * from window to window.
 */
const CONTEXT_SAMPLES = 64
const STATE_SHAPE = [2, 1, 128] as const

export async function* detectSpeech(
  model: InferenceSession,
  windows: AsyncIterable<Float32Array>,
): AsyncGenerator<ScoredWindow, void, undefined> {
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(SAMPLES_PER_SECOND)), [])
  let state: Tensor = new Tensor('float32', new Float32Array(2 * 128), STATE_SHAPE)
  let context = new Float32Array(CONTEXT_SAMPLES)
  for await (const samples of windows) {
    const inputSamples = new Float32Array(CONTEXT_SAMPLES + samples.length)
    inputSamples.set(context)
    inputSamples.set(samples, CONTEXT_SAMPLES)
    const input = new Tensor('float32', inputSamples, [1, inputSamples.length])
    const { output, stateN } = await model.run({ input, state, sr })
    if (!output || !stateN) throw new Error('the speech model returned no output')
    state = stateN
    context = inputSamples.slice(-CONTEXT_SAMPLES)
    yield { samples, score: Number(output.data[0]) }
  }
}

/** Moonshine tiny: six layers with eight heads. */
const LAYERS = 6
const HEADS = 8
const HEAD_SIZE = 36
const TOKEN_START = 1
const TOKEN_END = 2
const VOCABULARY_SIZE = 32_000

/**
 * Maximum number of tokens per second of audio. No speech is faster; if there are more tokens, the model is looping.
 */
const TOKENS_PER_SECOND_MAX = 6.5
const TOKENS_MIN = 6

export type Moonshine = { readonly encoder: InferenceSession; readonly decoder: InferenceSession }

export const loadMoonshine = async (threads: number): Promise<Moonshine> => ({
  encoder: await loadModel(weights.encoder, threads),
  decoder: await loadModel(weights.decoder, threads),
})

/** Transcribes a segment of speech, by greedy decoding. */
export async function transcribeSegment({ encoder, decoder }: Moonshine, samples: Float32Array): Promise<string> {
  const encoded = await encoder.run({
    input_values: new Tensor('float32', samples, [1, samples.length]),
  })
  const { last_hidden_state } = encoded
  if (!last_hidden_state) throw new Error('the encoder returned no output')
  const tokensMax = tokensMaxOf(samples.length / SAMPLES_PER_SECOND)
  const tokens: number[] = []
  let cache = emptyCache()
  while (tokens.length < tokensMax) {
    const isFirst = tokens.length === 0
    const output = await decoder.run({
      input_ids: new Tensor('int64', BigInt64Array.of(BigInt(tokens.at(-1) ?? TOKEN_START)), [1, 1]),
      encoder_hidden_states: last_hidden_state,
      use_cache_branch: new Tensor('bool', [!isFirst], [1]),
      ...cache,
    })
    const token = likeliest(output['logits']?.data as Float32Array)
    if (token === TOKEN_END) break
    cache = nextCache(cache, output, isFirst)
    tokens.push(token)
  }
  return decodeTokens(tokens)
}

const tokensMaxOf = (seconds: number) => Math.max(TOKENS_MIN, Math.trunc(seconds * TOKENS_PER_SECOND_MAX) + 4)

type Cache = Readonly<Record<string, Tensor>>

function emptyCache(): Cache {
  const empty = new Tensor('float32', new Float32Array(0), [0, HEADS, 1, HEAD_SIZE])
  const names = Array.from({ length: LAYERS }, (_, layer) =>
    ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map((name) => `past_key_values.${layer}.${name}`),
  )
  return Object.fromEntries(names.flat().map((name) => [name, empty]))
}

/** The encoder's keys and values do not change after the first token; only the decoder's grow. */
function nextCache(cache: Cache, output: Readonly<Record<string, Tensor>>, isFirst: boolean): Cache {
  const next = Object.entries(cache).map(([name, before]) => {
    const isGrowing = isFirst || name.includes('.decoder.')
    const present = output[name.replace('past_key_values', 'present')]
    return [name, isGrowing && present ? present : before]
  })
  return Object.fromEntries(next) as Cache
}

function likeliest(scores: Float32Array): number {
  let best = 0
  for (let index = 1; index < scores.length; index++) {
    if ((scores[index] ?? 0) > (scores[best] ?? 0)) best = index
  }
  return best
}

/** Tokens beyond the vocabulary are timestamps, which this model does not use. */
function decodeTokens(tokens: readonly number[]): string {
  const textTokens = tokens.filter((token) => token < VOCABULARY_SIZE)
  return llamaTokenizer.decode(textTokens, false, false).trim()
}
