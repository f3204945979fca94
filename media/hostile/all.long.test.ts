import { describe } from 'vitest'
import { createHostileCorpus } from './corpus.ts'
import { testHarmless } from './harmless.ts'

describe('hostile files of every kind', () => {
  testHarmless(createHostileCorpus, 900)
})
