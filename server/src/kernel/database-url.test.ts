import { describe, expect, it } from 'vitest'
import { serversOf } from './database-url.ts'

describe('serversOf', () => {
  it('returns the only server of a plain URL', () => {
    const url = 'postgres://user:p%40ss@db.example:6432/reelkeep?sslmode=verify-full'
    expect(serversOf(url)).toEqual([{ url, host: 'db.example', port: 6432 }])
  })

  it('returns every server, each with its own port and the same database and settings', () => {
    expect(
      serversOf('postgresql://u:p@one,two:6432,[::1]:7432/db?target_session_attrs=read-write&sslmode=require'),
    ).toEqual([
      { url: 'postgresql://u:p@one/db?sslmode=require', host: 'one', port: 5432 },
      { url: 'postgresql://u:p@two:6432/db?sslmode=require', host: 'two', port: 6432 },
      { url: 'postgresql://u:p@[::1]:7432/db?sslmode=require', host: '::1', port: 7432 },
    ])
  })

  it.each([
    '',
    'junk',
    'postgres://',
    'https://db.example/x',
    'postgres://u@one,,two/db',
    'postgres://u@one/db?target_session_attrs=any',
  ])('rejects %j', (url) => {
    expect(() => serversOf(url)).toThrow()
  })
})
