import { describe, expect, it } from 'vitest'
import { mayBeVideo } from './video-files.ts'

describe('mayBeVideo', () => {
  it.each([
    ['film.mp4', 'video/mp4'],
    ['film.mxf', ''],
    ['film.mkv', 'application/octet-stream'],
  ])('accepts %s of type "%s"', (name, type) => {
    expect(mayBeVideo({ name, type, size: 1 })).toBe(true)
  })

  it.each([
    ['.DS_Store', ''],
    ['Thumbs.db', ''],
    ['notes.txt', 'text/plain'],
    ['cover.jpg', 'image/jpeg'],
  ])('refuses %s of type "%s"', (name, type) => {
    expect(mayBeVideo({ name, type, size: 1 })).toBe(false)
  })

  it('refuses empty files', () => {
    expect(mayBeVideo({ name: 'film.mp4', type: 'video/mp4', size: 0 })).toBe(false)
  })
})
