import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, readAdminConfig, readWorkerConfig, settingNames } from './env.ts'
import { secretSettings, withSecretsFromFiles } from './secret-files.ts'

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

function errorMessageOf(env: NodeJS.ProcessEnv): string {
  try {
    readAdminConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

describe('a secret from a file', () => {
  it('is the content of the file without surrounding whitespace', () => {
    const env = { DATABASE_OWNER_URL_FILE: fileWith(`  ${ownerUrl}\n`) }
    expect(readAdminConfig(env).DATABASE_OWNER_URL).toBe(ownerUrl)
  })

  it('is used if the variable itself is empty', () => {
    const env = { DATABASE_OWNER_URL: '', DATABASE_OWNER_URL_FILE: fileWith(ownerUrl) }
    expect(readAdminConfig(env).DATABASE_OWNER_URL).toBe(ownerUrl)
  })

  it('is refused if the variable itself is set, even to the same value', () => {
    const env = { DATABASE_OWNER_URL: ownerUrl, DATABASE_OWNER_URL_FILE: fileWith(ownerUrl) }
    expect(errorMessageOf(env)).toBe(
      'Invalid settings:\n  DATABASE_OWNER_URL: and DATABASE_OWNER_URL_FILE are both set; set only one of them',
    )
  })

  it.each([
    ['does not exist', () => join(directory, 'hunter2-nowhere'), 'cannot be read (ENOENT)'],
    ['is a directory', () => directory, 'cannot be read (EISDIR)'],
    ['is empty', () => fileWith(' \n'), 'an empty file'],
    ['is far too large', () => fileWith('x'.repeat(65_537)), 'of more than 65536 bytes'],
  ])('is reported once, without its path, if the file %s', (_, path, why) => {
    const message = errorMessageOf({ DATABASE_OWNER_URL_FILE: path() })
    expect(message).toContain(why)
    expect(message.match(/DATABASE_OWNER_URL/g)).toHaveLength(1)
    expect(message).not.toContain(directory)
  })

  it('is not set if it is the upload key and its file is empty, so that the main key signs uploads', () => {
    const names = ['STORAGE_UPLOAD_ACCESS_KEY_ID', 'STORAGE_UPLOAD_SECRET_ACCESS_KEY']
    const given = Object.fromEntries(names.map((name) => [`${name}_FILE`, fileWith('\n')]))
    const { settings, errors } = withSecretsFromFiles(given, new Set(names))
    expect([names.map((name) => settings[name]), errors]).toEqual([[undefined, undefined], []])
  })

  it('is reported by the name of the setting, without its value, if its format is invalid', () => {
    const message = errorMessageOf({ DATABASE_OWNER_URL_FILE: fileWith('hunter2') })
    expect(message).toContain('  DATABASE_OWNER_URL: must be a URL')
    expect(message).not.toContain('hunter2')
  })

  it('is not read if the process does not use the setting', () => {
    const env = { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL_FILE: join(directory, 'nowhere') }
    expect(errorMessageOf(env)).toBe('')
  })
})

describe('settings that are not secrets', () => {
  it('are not read from files', () => {
    expect(() => readWorkerConfig({ STORAGE_ENDPOINT_FILE: fileWith('https://s3.example') })).toThrow(
      /STORAGE_ENDPOINT: is required but not set/,
    )
  })
})

describe('the list of secrets', () => {
  const all = new Set(Object.values(settingNames).flatMap((names) => [...names]))

  it('contains only existing settings', () => {
    expect(secretSettings.filter((name) => !all.has(name))).toEqual([])
  })

  it('contains every setting whose name suggests a secret', () => {
    const candidates = [...all].filter((name) => /SECRET|PASSWORD|_KEYS?(_ID)?$|DATABASE_.*URL|HEADER/.test(name))
    expect(candidates.filter((name) => !secretSettings.some((secret) => secret === name))).toEqual([])
  })
})
