import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, readAdminConfig, readWorkerConfig, settingNames } from './env.ts'
import { secretSettings } from './secret-files.ts'

const ownerUrl = 'postgres://reelkeep_owner:hunter2@db.example:5432/reelkeep'
let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'secret-files-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

function fileWith(content: string): string {
  const path = join(directory, `hunter2-${Math.random()}`)
  writeFileSync(path, content)
  return path
}

function faultsOf(env: NodeJS.ProcessEnv): string {
  try {
    readAdminConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

describe('a secret from a file', () => {
  it('is what the file holds, without the line end that editors leave', () => {
    const env = { DATABASE_OWNER_URL_FILE: fileWith(`  ${ownerUrl}\n`) }
    expect(readAdminConfig(env).DATABASE_OWNER_URL).toBe(ownerUrl)
  })

  it('takes the place of a variable that is set to nothing', () => {
    const env = { DATABASE_OWNER_URL: '', DATABASE_OWNER_URL_FILE: fileWith(ownerUrl) }
    expect(readAdminConfig(env).DATABASE_OWNER_URL).toBe(ownerUrl)
  })

  it('is refused beside the variable itself, even if both say the same', () => {
    const env = { DATABASE_OWNER_URL: ownerUrl, DATABASE_OWNER_URL_FILE: fileWith(ownerUrl) }
    expect(faultsOf(env)).toBe(
      'These settings need mending:\n  DATABASE_OWNER_URL: is set, and so is DATABASE_OWNER_URL_FILE; set one of them',
    )
  })

  it.each([
    ['is not there', () => join(directory, 'hunter2-nowhere'), 'cannot be read (ENOENT)'],
    ['is a directory', () => directory, 'cannot be read (EISDIR)'],
    ['is empty', () => fileWith(' \n'), 'is empty'],
    ['is far too large', () => fileWith('x'.repeat(65_537)), 'of more than 65536 bytes'],
  ])('that %s is told once, without its path', (_, path, why) => {
    const message = faultsOf({ DATABASE_OWNER_URL_FILE: path() })
    expect(message).toContain(why)
    expect(message.match(/DATABASE_OWNER_URL/g)).toHaveLength(1)
    expect(message).not.toContain(directory)
  })

  it('of a wrong form is told under the name of the setting, without its value', () => {
    const message = faultsOf({ DATABASE_OWNER_URL_FILE: fileWith('hunter2') })
    expect(message).toContain('  DATABASE_OWNER_URL: must be an address')
    expect(message).not.toContain('hunter2')
  })

  it('is not read by who has no use for it', () => {
    const env = { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL_FILE: join(directory, 'nowhere') }
    expect(faultsOf(env)).toBe('')
  })
})

describe('settings that are no secrets', () => {
  it('are not looked for in files', () => {
    expect(() =>
      readWorkerConfig({ STORAGE_ENDPOINT_FILE: fileWith('https://s3.example') }),
    ).toThrow(/STORAGE_ENDPOINT: is required but not set/)
  })
})

describe('the list of secrets', () => {
  const all = new Set(Object.values(settingNames).flatMap((names) => [...names]))

  it('names settings that there are', () => {
    expect(secretSettings.filter((name) => !all.has(name))).toEqual([])
  })

  it('has every setting whose name sounds like one', () => {
    const sounding = [...all].filter((name) =>
      /SECRET|PASSWORD|_KEYS?(_ID)?$|DATABASE_.*URL|HEADER/.test(name),
    )
    expect(sounding.filter((name) => !secretSettings.some((secret) => secret === name))).toEqual([])
  })
})
