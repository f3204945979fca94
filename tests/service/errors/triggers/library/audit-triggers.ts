import type { ErrorTriggers } from '../triggers.ts'

export const auditTriggers = {
  listAuditEntries: {
    invalid_cursor: ({ caller }) => caller.get(`audit/?cursor=${Buffer.from('[1,"x"]').toString('base64url')}`),
  },
  exportAuditEntries: {},
  readAuditHead: {},
} satisfies Partial<ErrorTriggers>
