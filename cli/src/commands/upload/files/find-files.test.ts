import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exitCodes } from '../../../exit-codes.ts'
import { findFiles } from './find-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'reelkeep-found-'))
})
afterEach(() => rm(root, { recursive: true }))

async function put(path: string, contents: string | Buffer = Buffer.alloc(100)) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), contents)
}

const find = (paths: string[], { isRecursive = true, isAnyType = false } = {}) =>
  findFiles(
    paths.map((path) => join(root, path)),
    { isRecursive, isAnyType, signal: new AbortController().signal },
  )

const shown = (files: Awaited<ReturnType<typeof find>>['files']) =>
  files.map(({ path, folders }) => [relative(root, path), folders.join('/')])

describe('findFiles', () => {
  it('returns the videos in a folder, and the target folders of each video', async () => {
    for (const name of ['t/b.MP4', 't/a.mov', 't/2026/10.mkv', 't/2026/9.mkv', 't/notes.txt']) await put(name)
    const { files, skipped } = await find(['t'])
    expect(shown(files)).toEqual([
      ['t/2026/9.mkv', 't/2026'],
      ['t/2026/10.mkv', 't/2026'],
      ['t/a.mov', 't'],
      ['t/b.MP4', 't'],
    ])
    expect(skipped).toEqual([])
  })

  it('returns transport streams, but not TypeScript files', async () => {
    const stream = (first: number, bytes: number) => {
      const packets = Buffer.alloc(1000)
      for (let place = first; place < packets.length; place += bytes) packets[place] = 0x47
      return packets
    }
    await put('t/a.ts', stream(0, 188))
    await put('t/b.m2ts', stream(4, 192))
    await put('t/GAME.ts', `G${'// a program\n'.repeat(100)}`)
    await put('t/short.mts', 'export {}')
    await put('t/empty.ts', '')
    const { files, skipped } = await find(['t'])
    expect(shown(files).map(([path]) => path)).toEqual(['t/a.ts', 't/b.m2ts'])
    expect(skipped).toEqual([])
  })

  it('skips a file that cannot be a video by its contents, unless any type is allowed', async () => {
    await put('notes.txt', 'Bring the projector.\n')
    await put('t/page.mp4', '<!doctype html>\n<title>Sign in</title>\n')
    await put('t/a.mp4')
    const { files, skipped } = await find(['notes.txt', 't'])
    expect(shown(files)).toEqual([['t/a.mp4', 't']])
    expect(skipped.map(({ path, ...why }) => [relative(root, path), why])).toEqual(
      ['notes.txt', 't/page.mp4'].map((path) => [
        path,
        {
          reason: 'is a text file, not a video. Use --any-type to upload it anyway.',
          code: 'not_a_video',
          exitCode: exitCodes.badOutcome,
        },
      ]),
    )
    expect((await find(['notes.txt', 't'], { isAnyType: true })).files).toHaveLength(3)
  })

  it('skips hidden files and symbolic links', async () => {
    for (const name of ['t/.a.mp4', 't/.git/b.mp4', 'else/c.mp4', 't/d.mp4']) await put(name)
    await symlink(join(root, 'else'), join(root, 't/link'))
    await symlink(join(root, 'else/c.mp4'), join(root, 't/link.mp4'))
    await symlink(join(root, 't'), join(root, 't/circle'))
    expect(shown((await find(['t'])).files)).toEqual([['t/d.mp4', 't']])
  })

  it('accepts a file given by its path with any extension, even through a symbolic link', async () => {
    await put('camera.bin')
    await symlink(join(root, 'camera.bin'), join(root, 'link'))
    const { files } = await find(['link'], { isRecursive: false })
    expect(shown(files)).toEqual([['link', '']])
    expect(files[0]?.realPath).toMatch(/camera\.bin$/)
  })

  it('returns a file once, even if it is given several times', async () => {
    await put('a.mp4')
    await symlink(join(root, 'a.mp4'), join(root, 'b.mp4'))
    expect(shown((await find(['a.mp4', 'a.mp4', 'b.mp4'])).files)).toEqual([['a.mp4', '']])
  })

  it('skips folders without --recursive, empty files and missing files', async () => {
    await put('t/a.mp4')
    await put('empty.mp4', '')
    await put('b.mp4')
    const { files, skipped } = await find(['t', 'empty.mp4', 'gone.mp4', 'b.mp4'], { isRecursive: false })
    expect(shown(files)).toEqual([['b.mp4', '']])
    expect(skipped.map(({ reason, exitCode }) => [reason, exitCode])).toEqual([
      ['is a folder. Use --recursive to upload the videos in it.', exitCodes.usage],
      ['is empty.', exitCodes.failed],
      ['does not exist.', exitCodes.usage],
    ])
  })

  it('skips folders that are too deep', async () => {
    const deep = (folders: number) => Array.from({ length: folders }, () => 'd').join('/')
    await put(`${deep(32)}/a.mp4`)
    await put(`${deep(33)}/b.mp4`)
    const { files, skipped } = await find(['d'])
    expect(shown(files).map(([path]) => path)).toEqual([`${deep(32)}/a.mp4`])
    expect(skipped.map(({ path }) => relative(root, path))).toEqual([deep(33)])
  })
})
