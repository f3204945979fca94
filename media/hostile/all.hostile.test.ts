import { describe } from 'vitest'
import { makeHostileCorpus } from './corpus.ts'
import { promiseHarmless } from './promises.ts'

describe('all hostile files', () => {
  promiseHarmless(makeHostileCorpus, 900)
})
