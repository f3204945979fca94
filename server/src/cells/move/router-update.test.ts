import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { readDirectory, writePlacement } from '../directory.ts'
import { versionLine } from '../router.rules.ts'
import { updateRouter } from './router-update.ts'

const folder = mkdtempSync(join(tmpdir(), 'reelkeep-router-'))
const file = join(folder, 'cells.json')
const routerFile = join(folder, 'router.conf')
afterAll(() => rmSync(folder, { recursive: true }))

const cell = (port: number) => ({
  api: [`http://10.0.0.1:${port}`],
  database: `postgres://postgres:secret@10.0.0.1:${port}/reelkeep`,
  keyEncryptionKeys: ['2026'],
  storage: { endpoint: `http://10.0.0.2:${port}`, accessKeyId: 'ID', secretAccessKey: 'secret' },
})
const write = (router: object) => {
  const cells = { a: cell(8080), b: cell(8090) }
  writeFileSync(file, JSON.stringify({ cells, newOrganizations: 'a', router }))
}
const [one, other] = ['acme12', 'other12'] as [OrganizationId, OrganizationId]

beforeEach(() => write({ file: routerFile, reload: ['true'] }))

it('the router configuration contains the placements of two concurrent migrations', async () => {
  await writePlacement(file, one, 'b')
  await writePlacement(file, other, 'b')
  await Promise.all([updateRouter(file, other), updateRouter(file, one)])
  for (const id of [one, other]) expect(readFileSync(routerFile, 'utf8')).toContain(`  ${id} reelkeep_cell_b;`)
})

it('updateRouter accepts a router that uses a newer version of the cells file', async () => {
  const server = createServer((_, response) =>
    response.end(`${versionLine({ version: readDirectory(file).version + 1 })}\n`),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  write({ file: routerFile, reload: ['true'], url })
  await writePlacement(file, one, 'b')
  expect(await updateRouter(file, one)).toBeUndefined()
  server.close()
})
