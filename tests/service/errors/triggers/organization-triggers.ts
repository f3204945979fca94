import { TestApi } from '@reelkeep/testkit'
import type { ErrorTriggers } from './triggers.ts'

const PATH = 'organization/'

export const organizationTriggers = {
  readOrganization: {},
  readUsage: {},
  updateOrganization: {
    changed_meanwhile: ({ caller }) => caller.patch(PATH, { trash_days: 1 }, { 'If-Match': '"other"' }),
    invalid_title: ({ caller }) => caller.patch(PATH, { name: 'x'.repeat(256) }),
    drm_not_configured: async () => {
      await using testApi = await TestApi.open({ DRM_PROVIDER: 'none' })
      const caller = await testApi.newOrganization()
      return await caller.patch(PATH, { default_content_protection_type: 'drm' })
    },
  },
} satisfies Partial<ErrorTriggers>
