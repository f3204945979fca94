import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../kernel/ids.ts'
import { readDirectory, writePlacement } from './directory.ts'
import { placement } from './placement.ts'

const folder = mkdtempSync(join(tmpdir(), 'reelkeep-cells-'))
const file = join(folder, 'cells.json')
afterAll(() => rmSync(folder, { recursive: true }))

const cell = (port: number) => ({
  api: [`http://10.0.0.1:${port}`],
  database: `postgres://postgres:secret@10.0.0.1:${port}/reelkeep`,
  keyEncryptionKeys: ['2026'],
  storage: {
    endpoint: `http://10.0.0.2:${port}`,
    accessKeyId: 'ID',
    secretAccessKeyFile: 'storage-key',
  },
})
const written = {
  cells: { a: cell(8080), b: cell(8090) },
  newOrganizations: 'a',
  organizations: { moved12: 'b' },
}
const write = (directory: object) => writeFileSync(file, JSON.stringify(directory), { mode: 0o640 })
const id = (text: string) => text as OrganizationId

beforeEach(() => {
  writeFileSync(join(folder, 'storage-key'), 'from a file\n')
  write(written)
})

describe('the placement of an organization', () => {
  it('is the listed cell, or the default cell if the organization is not listed', () => {
    const directory = readDirectory(file)
    expect(placement(directory, id('moved12')).name).toBe('b')
    expect(placement(directory, id('acme12')).name).toBe('a')
    // `constructor` is a property of every object, but this cells file does not list it as an organization.
    expect(placement(directory, id('constructor')).name).toBe('a')
    expect(placement(directory, id('moved12')).cell.api).toEqual(['http://10.0.0.1:8090'])
  })

  it('can be changed; the cells file keeps its mode and gets no secrets from other files', async () => {
    const changed = await writePlacement(file, id('acme12'), 'b')
    expect(placement(changed, id('acme12')).name).toBe('b')
    expect(readDirectory(file)).toEqual(changed)
    expect(changed.version).toBe(1)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    // The cells file names the file with the secret and does not contain the secret itself.
    expect(readFileSync(file, 'utf8')).not.toContain('from a file')
  })

  it('is not lost when 20 placements change concurrently', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => id(`moving${index}`))
    await Promise.all(ids.map((organizationId) => writePlacement(file, organizationId, 'b')))
    const directory = readDirectory(file)
    expect(ids.filter((organizationId) => placement(directory, organizationId).name !== 'b')).toEqual([])
    expect(directory.version).toBe(20)
  })

  it('cannot be changed in a cells file whose default cell does not exist', async () => {
    write({ ...written, newOrganizations: 'c' })
    await expect(writePlacement(file, id('acme12'), 'a')).rejects.toThrow('newOrganizations')
  })
})

describe('two cells', () => {
  const { b, ...others } = written.cells
  it('are rejected if they share a bucket, even if its URLs are written differently', () => {
    const storage = { ...b.storage, endpoint: 'http://10.0.0.2:8080/', uploadsBucket: 'other-name' }
    write({ ...written, cells: { ...others, b: { ...b, storage } } })
    expect(() => readDirectory(file)).toThrow('cells.b.storage.mediaBucket: is also mediaBucket of cell a')
  })

  it('are rejected if they share a bucket that one of them accesses by its public endpoint', () => {
    const a = {
      ...others.a,
      storage: { ...others.a.storage, publicEndpoint: 'https://s3.example' },
    }
    const storage = { ...b.storage, endpoint: 'https://s3.example/', uploadsBucket: 'other-name' }
    write({ ...written, cells: { a, b: { ...b, storage } } })
    expect(() => readDirectory(file)).toThrow('cells.b.storage.mediaBucket: is also mediaBucket of cell a')
  })

  it('are rejected if one uses the same bucket for uploads and media', () => {
    const storage = { ...b.storage, uploadsBucket: 'one-for-all', mediaBucket: 'one-for-all' }
    write({ ...written, cells: { ...others, b: { ...b, storage } } })
    expect(() => readDirectory(file)).toThrow('is also uploadsBucket of cell b')
  })

  it('are rejected if they share a database, even with different users', () => {
    const database = 'postgres://somebody:else@10.0.0.1:8080/reelkeep'
    write({ ...written, cells: { ...others, b: { ...b, database } } })
    expect(() => readDirectory(file)).toThrow('cells.b.database: is also the database of cell a')
  })
})

describe('a lock that was left by a killed process', () => {
  it('is removed, and no concurrent change is lost', async () => {
    writeFileSync(`${file}.lock`, '')
    utimesSync(`${file}.lock`, 1, 1)
    const ids = Array.from({ length: 20 }, (_, index) => id(`moving${index}`))
    await Promise.all(ids.map((organizationId) => writePlacement(file, organizationId, 'b')))
    expect(readDirectory(file).version).toBe(20)
    expect(readdirSync(folder).filter((name) => name.includes('.lock'))).toEqual([])
  })
})

describe('an invalid cells file', () => {
  it('is rejected with all problems at once, and without secrets', () => {
    rmSync(join(folder, 'storage-key'))
    const { api: _, ...withoutApi } = cell(1)
    write({
      cells: { a: cell(8080), b: { ...withoutApi, keyEncryptionKeys: [] } },
      newOrganizations: 'c',
      organizations: { 'NOT AN ID': 'a', moved12: 'd' },
    })
    expect(faults()).toEqual([
      'cells.b.api: Invalid input: expected array, received undefined',
      'cells.b.keyEncryptionKeys: Too small: expected array to have >=1 items',
    ])
    write({ ...written, newOrganizations: 'c', organizations: { 'NOT AN ID': 'a', moved12: 'd' } })
    expect(faults()).toEqual([
      'newOrganizations: is c, which is not one of the cells',
      'organizations.NOT AN ID: is not an organization id',
      'organizations.moved12: is d, which is not one of the cells',
    ])
    write(written)
    expect(faults()).toEqual([
      'cells.a.storage.secretAccessKeyFile: the file cannot be read (ENOENT)',
      'cells.b.storage.secretAccessKeyFile: the file cannot be read (ENOENT)',
    ])
  })

  it('is rejected if it is not JSON or does not exist', () => {
    writeFileSync(file, '{')
    expect(faults()).toEqual(['cells file: is not JSON'])
    rmSync(file)
    expect(faults()).toEqual(['cells file: cannot be read (ENOENT)'])
  })
})

describe('replaceFile on an almost full disk', () => {
  it('keeps the old file and throws the error', () => {
    const before = readFileSync(file, 'utf8')
    // Simulates an almost full disk: the first write is cut short, and only the next one fails.
    const replace = `import('${import.meta.dirname}/directory.ts')
      .then(({ replaceFile }) => replaceFile(process.argv[1], 'x'.repeat(100_000)))
      .catch(({ code }) => process.stdout.write(code))`
    const command = [process.execPath, '--eval', replace, file]
    const cut = ['-c', 'ulimit -f 8 && exec "$@"', 'sh', ...command]
    const { stdout } = spawnSync('sh', cut, { encoding: 'utf8' })
    expect(stdout).toBe('EFBIG')
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
  })
})

function faults(): string[] {
  try {
    readDirectory(file)
  } catch (error) {
    const [, ...lines] = String(error).split('\n')
    return lines.map((line) => line.trim())
  }
  return []
}
