import { describe } from 'vitest'
import { makeHostileCorpus, sampleOf } from './corpus.ts'
import { promiseHarmless } from './promises.ts'

/** `pnpm test:hostile` goes through all of them. */
describe('a sample of hostile files', () => {
  promiseHarmless(async () => sampleOf(await makeHostileCorpus()), 300)
})
