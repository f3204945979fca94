import { expect, it } from 'vitest'
import { elementCode, hostsIn, iframeCode, linkOf, reactCode } from './embed-codes.ts'

const video = {
  ...{ origin: 'https://video.example', organization: 'abc', asset: 'id-1', title: 'Q&A "live"' },
  ...{
    width: 1920,
    height: 1080,
    token: 'secret',
    playbackUrl: 'https://video.example/play/secret/abc/id-1/master.m3u8',
  },
}

it('keeps the token of links behind #, where it is not sent to servers', () => {
  expect(linkOf(video)).toBe('https://video.example/embed/abc/id-1/#token=secret')
})

it('escapes the title and keeps the aspect ratio in the code of an iframe', () => {
  expect(iframeCode(video)).toContain('title="Q&amp;A &quot;live&quot;" width="800" height="450"')
})

it('uses the player of the server in the codes for pages and React', () => {
  for (const code of [elementCode(video), reactCode(video)]) {
    expect(code).toContain('https://video.example/embed/-/reelkeep-player.js')
    expect(code).toContain(`<reelkeep-player src="${video.playbackUrl}"`)
  }
})

it('finds hosts in pasted addresses', () => {
  expect(hostsIn('https://www.example.com/page, *.example.org example.net;example.net')).toEqual([
    'www.example.com',
    '*.example.org',
    'example.net',
  ])
})
