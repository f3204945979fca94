import { describe } from 'vitest'
import { createHostileCorpus } from './corpus.ts'
import { testHarmless } from './harmless.ts'

describe('all hostile files', () => {
  testHarmless(createHostileCorpus, 900)
})
