/** How much is asked about passes before they are refused. Whom they let in is in `passes.routes.test.ts`. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { PassRegister } from './pass-register.ts'
import { PlaybackDoor } from './playback-door.ts'
import { ServicePasses } from './service-passes.ts'

const organizationId = 'acme1234' as OrganizationId
const assetId = '019a0000-0000-7000-8000-000000000000' as AssetId

const passes = new ServicePasses({ secret: 'a'.repeat(32), previousSecret: undefined })
const others = new ServicePasses({ secret: 'b'.repeat(32), previousSecret: undefined })
const good = passes.forAsset(organizationId, assetId, new Date())

let looks: string[]
let door: PlaybackDoor
let register: PassRegister
beforeEach(() => {
  looks = []
  register = new PassRegister(async (organization) => {
    looks.push(organization)
    const isStrange = organization.startsWith('strange')
    return isStrange
      ? undefined
      : { isGone: organization === 'gone1234', isOpen: false, keys: [], revoked: [] }
  })
  door = new PlaybackDoor(passes, register)
})

const admit = (pass: string, organization: string = organizationId) =>
  door.admit({
    ...{ pass, assetId, organizationId: organization as OrganizationId, name: '240p.m3u8' },
    ...{ page: { origin: undefined, referer: undefined }, ip: '192.0.2.1' },
  })

const denied = { code: 'playback_denied' }

describe('nobody is asked about', () => {
  const [header = '', claims = ''] = good.split('.')
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  it.each([
    ['what is no token', 'x'],
    ['what only looks like one', 'a.b.c'],
    ['one that is too long', `${good}${'A'.repeat(6144)}`],
    ['one that names no key', `${encoded({ alg: 'EdDSA' })}.${claims}.AAAA`],
    ['one of another algorithm', `${encoded({ alg: 'none', kid: randomUUID() })}.${claims}.AAAA`],
    ['one in our name, which we did not sign', `${header}.${claims}.${'A'.repeat(86)}`],
    ['one of a secret that we do not have', others.forAsset(organizationId, assetId, new Date())],
    ['one of ours that has expired', passes.forAsset(organizationId, assetId, new Date(0))],
    [
      'one of another organization',
      passes.forAsset('other123' as OrganizationId, assetId, new Date()),
    ],
  ])('%s', async (_, pass) => {
    await expect(admit(pass)).rejects.toMatchObject(denied)
    expect(looks).toEqual([])
  })

  it('one that is known to be good elsewhere', async () => {
    await admit(good)
    await expect(admit(good, 'other123')).rejects.toMatchObject(denied)
    expect(looks).toEqual([organizationId])
  })
})

describe('the organization is asked about', () => {
  it('one of ours, because it may be revoked, once for all who come at once', async () => {
    await Promise.all(Array.from({ length: 100 }, () => admit(good)))
    expect(looks).toEqual([organizationId])
  })

  it('one that names a key which may be its own', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const pass = await new SignJWT({ iss: organizationId, sub: assetId, jti: 'own' })
      .setProtectedHeader({ alg: 'EdDSA', kid: randomUUID() })
      .setIssuedAt()
      .setExpirationTime('1 minute')
      .sign(privateKey)
    await expect(admit(pass)).rejects.toMatchObject(denied)
    expect(looks).toEqual([organizationId])
  })
})

it('organizations that somebody invents take no room from those there are', async () => {
  await admit(good)
  const invented = Array.from({ length: 1500 }, (_, count) => admit('open', `strange${count}`))
  for (const { status } of await Promise.allSettled(invented)) expect(status).toBe('rejected')
  expect(register.recall(organizationId)).toBeDefined()
  await expect(admit('open', 'strange1499')).rejects.toMatchObject(denied)
  expect(looks).toHaveLength(1501)
})

it('nobody is let in to an organization that is gone: it may be asked again in a moment', async () => {
  await expect(admit('open', 'gone1234')).rejects.toMatchObject({ code: 'unavailable' })
})
