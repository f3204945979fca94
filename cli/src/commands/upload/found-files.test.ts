import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exitCodes } from '../../exit-codes.ts'
import { findFiles } from './found-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'reelkeep-found-'))
})
afterEach(() => rm(root, { recursive: true }))

async function put(path: string, text = 'a video') {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

const find = (paths: string[], isRecursive = true) =>
  findFiles(
    paths.map((path) => join(root, path)),
    { isRecursive, signal: new AbortController().signal },
  )

const shown = (files: Awaited<ReturnType<typeof find>>['files']) =>
  files.map(({ path, folders }) => [relative(root, path), folders.join('/')])

describe('files to upload', () => {
  it('are the videos in a folder, each with the folders that it lies in', async () => {
    for (const name of ['t/b.MP4', 't/a.mov', 't/2026/10.mkv', 't/2026/9.mkv', 't/notes.txt'])
      await put(name)
    const { files, leftOut } = await find(['t'])
    expect(shown(files)).toEqual([
      ['t/2026/9.mkv', 't/2026'],
      ['t/2026/10.mkv', 't/2026'],
      ['t/a.mov', 't'],
      ['t/b.MP4', 't'],
    ])
    expect(leftOut).toEqual([])
  })

  it('are streams of packets, and no programs of the same ending', async () => {
    const stream = (first: number, bytes: number) => {
      const text = Buffer.alloc(1000)
      for (let place = first; place < text.length; place += bytes) text[place] = 0x47
      return text.toString('latin1')
    }
    await put('t/a.ts', stream(0, 188))
    await put('t/b.m2ts', stream(4, 192))
    await put('t/GAME.ts', `G${'// a program\n'.repeat(100)}`)
    await put('t/short.mts', 'export {}')
    await put('t/empty.ts', '')
    expect(shown((await find(['t'])).files).map(([path]) => path)).toEqual(['t/a.ts', 't/b.m2ts'])
    expect(shown((await find(['t/GAME.ts'])).files)).toHaveLength(1)
  })

  it('are no hidden ones, and none that links lead to', async () => {
    for (const name of ['t/.a.mp4', 't/.git/b.mp4', 'else/c.mp4', 't/d.mp4']) await put(name)
    await symlink(join(root, 'else'), join(root, 't/link'))
    await symlink(join(root, 'else/c.mp4'), join(root, 't/link.mp4'))
    await symlink(join(root, 't'), join(root, 't/circle'))
    expect(shown((await find(['t'])).files)).toEqual([['t/d.mp4', 't']])
  })

  it('are taken whatever their ending when they are named, also through a link', async () => {
    await put('camera.bin')
    await symlink(join(root, 'camera.bin'), join(root, 'link'))
    const { files } = await find(['link'], false)
    expect(shown(files)).toEqual([['link', '']])
    expect(files[0]?.realPath).toMatch(/camera\.bin$/)
  })

  it('are sent once, however often they are named', async () => {
    await put('a.mp4')
    await symlink(join(root, 'a.mp4'), join(root, 'b.mp4'))
    expect(shown((await find(['a.mp4', 'a.mp4', 'b.mp4'])).files)).toEqual([['a.mp4', '']])
  })

  it('are no folders without --recursive, nothing empty and nothing that is not there', async () => {
    await put('t/a.mp4')
    await put('empty.mp4', '')
    await put('b.mp4')
    const { files, leftOut } = await find(['t', 'empty.mp4', 'gone.mp4', 'b.mp4'], false)
    expect(shown(files)).toEqual([['b.mp4', '']])
    expect(leftOut.map(({ reason, exitCode }) => [reason, exitCode])).toEqual([
      ['is a folder. Say --recursive to upload the videos in it.', exitCodes.usage],
      ['is empty: there is nothing to send.', exitCodes.failed],
      ['is not there.', exitCodes.usage],
    ])
  })

  it('are left out where they lie too deep, and the others are not', async () => {
    const deep = (folders: number) => Array.from({ length: folders }, () => 'd').join('/')
    await put(`${deep(32)}/a.mp4`)
    await put(`${deep(33)}/b.mp4`)
    const { files, leftOut } = await find(['d'])
    expect(shown(files).map(([path]) => path)).toEqual([`${deep(32)}/a.mp4`])
    expect(leftOut.map(({ path }) => relative(root, path))).toEqual([deep(33)])
  })
})
