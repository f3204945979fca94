/** The three models, and how each is asked. What is called here fills a processor: it runs in a process of its own. */
import llamaTokenizer from 'llama-tokenizer-js'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { SAMPLES_PER_SECOND } from '../recogniser.ts'
import type { HeardWindow } from './speech-pieces.ts'
import { readWeights, type Weights, weights } from './weights.ts'

export async function loadModel(model: Weights, threads: number): Promise<InferenceSession> {
  const options = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  }
  return InferenceSession.create(await readWeights(model), options)
}

/** Silero listens to a window with the end of the one before it, and remembers what it heard. */
const CONTEXT_SAMPLES = 64
const MEMORY = [2, 1, 128] as const

export async function* hearSpeech(
  model: InferenceSession,
  windows: AsyncIterable<Float32Array>,
): AsyncGenerator<HeardWindow, void, undefined> {
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(SAMPLES_PER_SECOND)), [])
  let state: Tensor = new Tensor('float32', new Float32Array(2 * 128), MEMORY)
  let context = new Float32Array(CONTEXT_SAMPLES)
  for await (const samples of windows) {
    const heard = new Float32Array(CONTEXT_SAMPLES + samples.length)
    heard.set(context)
    heard.set(samples, CONTEXT_SAMPLES)
    const input = new Tensor('float32', heard, [1, heard.length])
    const { output, stateN } = await model.run({ input, state, sr })
    if (!output || !stateN) throw new Error('The model of speech did not answer')
    state = stateN
    context = heard.slice(-CONTEXT_SAMPLES)
    yield { samples, score: Number(output.data[0]) }
  }
}

/** Moonshine tiny: six layers of eight heads. */
const LAYERS = 6
const HEADS = 8
const HEAD_SIZE = 36
const TOKEN_START = 1
const TOKEN_END = 2
const VOCABULARY_SIZE = 32_000

/** Nobody speaks faster; what goes on for longer has lost its way. */
const TOKENS_PER_SECOND_MAX = 6.5
const TOKENS_MAX_AT_LEAST = 6

export type Moonshine = { readonly encoder: InferenceSession; readonly decoder: InferenceSession }

export const loadMoonshine = async (threads: number): Promise<Moonshine> => ({
  encoder: await loadModel(weights.encoder, threads),
  decoder: await loadModel(weights.decoder, threads),
})

/** The words of a piece of speech: token by token, each the likeliest after those before it. */
export async function recognise(
  { encoder, decoder }: Moonshine,
  samples: Float32Array,
): Promise<string> {
  const encoded = await encoder.run({
    input_values: new Tensor('float32', samples, [1, samples.length]),
  })
  const { last_hidden_state } = encoded
  if (!last_hidden_state) throw new Error('The encoder did not answer')
  const tokensMax = tokensMaxOf(samples.length / SAMPLES_PER_SECOND)
  const tokens: number[] = []
  let past = emptyPast()
  while (tokens.length < tokensMax) {
    const isFirst = tokens.length === 0
    const answer = await decoder.run({
      input_ids: new Tensor(
        'int64',
        BigInt64Array.of(BigInt(tokens.at(-1) ?? TOKEN_START)),
        [1, 1],
      ),
      encoder_hidden_states: last_hidden_state,
      use_cache_branch: new Tensor('bool', [!isFirst], [1]),
      ...past,
    })
    const token = likeliest(answer['logits']?.data as Float32Array)
    if (token === TOKEN_END) break
    past = nextPast(past, answer, isFirst)
    tokens.push(token)
  }
  return wordsOf(tokens)
}

const tokensMaxOf = (seconds: number) =>
  Math.max(TOKENS_MAX_AT_LEAST, Math.trunc(seconds * TOKENS_PER_SECOND_MAX) + 4)

type Past = Readonly<Record<string, Tensor>>

function emptyPast(): Past {
  const empty = new Tensor('float32', new Float32Array(0), [0, HEADS, 1, HEAD_SIZE])
  const names = Array.from({ length: LAYERS }, (_, layer) =>
    ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map(
      (name) => `past_key_values.${layer}.${name}`,
    ),
  )
  return Object.fromEntries(names.flat().map((name) => [name, empty]))
}

/** What was made of the sound stays the same after the first token; only what was said grows. */
function nextPast(past: Past, answer: Readonly<Record<string, Tensor>>, isFirst: boolean): Past {
  const next = Object.entries(past).map(([name, before]) => {
    const isGrowing = isFirst || name.includes('.decoder.')
    const present = answer[name.replace('past_key_values', 'present')]
    return [name, isGrowing && present ? present : before]
  })
  return Object.fromEntries(next) as Past
}

function likeliest(scores: Float32Array): number {
  let best = 0
  for (let index = 1; index < scores.length; index++) {
    if ((scores[index] ?? 0) > (scores[best] ?? 0)) best = index
  }
  return best
}

/** Numbers beyond the vocabulary are marks of times, which this model was not taught to set. */
function wordsOf(tokens: readonly number[]): string {
  const words = tokens.filter((token) => token < VOCABULARY_SIZE)
  return llamaTokenizer.decode(words, false, false).trim()
}
