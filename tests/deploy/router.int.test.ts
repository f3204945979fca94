/** Runs the router's configuration in Debian's nginx. Two fake cells return their name and the request. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Directory } from '@reelkeep/server/cells/directory.rules.ts'
import { placementFile, routerConfiguration } from '@reelkeep/server/cells/router.rules.ts'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { Nginx } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)

async function cellNamed(name: string) {
  const server = createServer((request, response) => {
    response.setHeader('X-Cell', name).setHeader('X-Host', request.headers.host ?? '')
    response.setHeader('X-For', String(request.headers['x-forwarded-for']))
    response.end(request.url)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => server.close())
  const { port } = server.address() as AddressInfo
  return {
    api: [`http://127.0.0.1:${port}`],
    database: 'postgres://nobody@nowhere/reelkeep',
    databaseForCells: 'postgres://nobody@nowhere/reelkeep',
    keyEncryptionKeys: ['2026'],
    storage: {
      ...{ endpoint: 'http://nowhere', publicEndpoint: 'http://nowhere', region: 'us-east-1' },
      ...{ accessKeyId: 'ID', secretAccessKey: 'a test secret' },
      ...{ uploadsBucket: 'reelkeep-uploads', mediaBucket: 'reelkeep-media' },
      ...{ supportsForms: true, keepsVersions: true },
    },
  }
}

const directory: Directory = {
  version: 7,
  cells: { a: await cellNamed('a'), 'b-2': await cellNamed('b-2') },
  newOrganizations: 'a',
  organizations: { moved12: 'b-2', stayed12: 'a' },
  moves: {},
  router: { listen: '8080', logs: '/var/log/nginx', trustedProxies: [] },
}

const site = (given: Directory) => (folder: string, port: number) =>
  routerConfiguration({
    ...given,
    router: { ...given.router, listen: `127.0.0.1:${port}`, logs: folder },
  })

const nginx = await opened(Nginx.start(site(directory)))

const logOf = (name: string) => readFileSync(join(nginx.siteFile, '..', name), 'utf8')

async function send(path: string) {
  const response = await fetch(`${nginx.baseUrl}${path}`)
  return { cell: response.headers.get('x-cell'), text: await response.text(), response }
}

const video = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
const page = `https://video.example/embed/moved12/${video}/`

describe('requests to the router', () => {
  it.each([
    '/api/v1/moved12/assets/?q=a%2Fb&limit=1',
    '/api/v1/moved12/events/stream/',
    '/api/v1//moved12/assets/',
    '/api/v1/%6doved12/assets/',
    `/play/open/moved12/${video}/master.m3u8`,
    `/play/eyJhbGciOi.J9_-x/moved12/${video}/video-encode-3/240p/00000.m4s`,
    `/play-access/open/moved12/${video}/`,
    `/embed/moved12/${video}/?token=x`,
    `/oembed?format=json&url=${encodeURIComponent(page)}`,
    `/oembed?url=${page}&maxwidth=300`,
  ])('for an organization in the cells file go unchanged to its cell: %s', async (path) => {
    expect(await send(path)).toMatchObject({ cell: 'b-2', text: path })
  })

  it.each([
    '/api/v1/stayed12/assets/',
    '/api/v1/unlisted/assets/?about=/api/v1/moved12/',
    '/api/v1/moved123/assets/',
    '/api/v1/xmoved12/assets/',
    '/play/moved12/stayed12/x/master.m3u8',
    '/play/api/v1/moved12/',
    '/embed/-/player.js',
    '/docs/',
    '/readyz',
    `/docs/?url=${encodeURIComponent(page)}`,
    '/oembed',
  ])('for an organization in the default cell, or for none, go to the default cell: %s', async (path) => {
    expect(await send(path)).toMatchObject({ cell: 'a', text: path })
  })

  it("are forwarded with the host and the client's real IP address, even if a header claims another address", async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.7' }
    const response = await fetch(`${nginx.baseUrl}/api/v1/moved12/`, { headers })
    expect(response.headers.get('x-for')).toBe('127.0.0.1')
    expect(response.headers.get('x-host')).toBe(new URL(nginx.baseUrl).host)
  })
})

describe('requests of AI agents', () => {
  it.each([
    ['Bearer rlk_moved12_secret', 'b-2'],
    ['token rlk_moved12_secret', 'b-2'],
    ['Bearer rlk_stayed12_secret', 'a'],
    ['Bearer moved12', 'a'],
  ])('go to the cell of the organization in the token: %s', async (authorization, cell) => {
    const response = await fetch(`${nginx.baseUrl}/mcp`, { method: 'POST', headers: { authorization } })
    expect(response.headers.get('x-cell')).toBe(cell)
  })
})

describe('an edge in front of the router', () => {
  it("may set the client's IP address if it is trusted", async () => {
    const router = { ...directory.router, trustedProxies: ['127.0.0.0/8'] }
    await using behindEdge = await Nginx.start(site({ ...directory, router }))
    const headers = { 'X-Forwarded-For': '198.51.100.1, 203.0.113.7' }
    const response = await fetch(`${behindEdge.baseUrl}/api/v1/moved12/`, { headers })
    expect(response.headers.get('x-for')).toBe('203.0.113.7')
  })
})

describe('a new version of the cells file', () => {
  it('is used after a reload, and the router reports its number', async () => {
    expect((await send('/-/cells')).text).toBe('cells version 7\n')
    const changed = { ...directory, version: 8, organizations: { stayed12: 'b-2' } }
    const { port } = new URL(nginx.baseUrl)
    writeFileSync(nginx.siteFile, site(changed)(join(nginx.siteFile, '..'), Number(port)))
    const [program = '', ...words] = nginx.reload
    await run(program, words)
    await expect.poll(async () => (await send('/-/cells')).text).toBe('cells version 8\n')
    expect((await send('/api/v1/moved12/')).cell).toBe('a')
    expect((await send('/api/v1/stayed12/')).cell).toBe('b-2')
  })
})

describe('the migration of an organization between cells', () => {
  it('takes effect in the router without a reload, in both directions', async () => {
    const placements = mkdtempSync(join(tmpdir(), 'reelkeep-placements-'))
    const site = (folder: string, port: number) =>
      routerConfiguration({
        ...directory,
        router: { ...directory.router, listen: `127.0.0.1:${port}`, logs: folder, placements },
      })
    await using router = await Nginx.start(site)
    const cellOf = async (id: string) => (await fetch(`${router.baseUrl}/api/v1/${id}/`)).headers.get('x-cell')
    expect(await cellOf('moved12')).toBe('b-2')
    writeFileSync(join(placements, placementFile('moved12' as OrganizationId, 'a')), '')
    writeFileSync(join(placements, placementFile('stayed12' as OrganizationId, 'b-2')), '')
    expect(await cellOf('moved12')).toBe('a')
    expect(await cellOf('stayed12')).toBe('b-2')
    expect(await cellOf('other12')).toBe('a')
    rmSync(placements, { recursive: true })
    expect(await cellOf('stayed12')).toBe('a')
  })
})

describe('the log of the router', () => {
  it('contains the organization and its cell, and no playback token', async () => {
    await send(`/play/secrettoken/moved12/${video}/master.m3u8?token=secrettoken`)
    await expect.poll(() => logOf('reelkeep-router.log')).toMatch(/GET moved12 reelkeep_cell_\w+ 200/)
    expect(logOf('reelkeep-router.log') + logOf('reelkeep-router-error.log')).not.toContain('secrettoken')
  })
})

describe('a router configuration for 100,000 organizations', () => {
  it('is accepted by nginx', async () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => [`org${index + 100_000}`, 'b-2'])
    const large = { ...directory, organizations: Object.fromEntries(ids) }
    await using many = await Nginx.start(site(large))
    const response = await fetch(`${many.baseUrl}/api/v1/org123456/`)
    expect(response.headers.get('x-cell')).toBe('b-2')
  })
})
