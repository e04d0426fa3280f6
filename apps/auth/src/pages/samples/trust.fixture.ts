export const trustForm = (kind: string) => ({
  action: `/account/applications/1/trust/${kind}`,
  csrf: 'b1f9c0d2',
});
export const pendingRequest = {
  role: 'agent',
  reason: 'It exports last night’s tickets to our data warehouse.',
  status: 'pending',
  decisionReason: null,
  createdAt: new Date('2026-02-01T08:00:00Z'),
  closedAt: null,
} as const;
export const rejectedRequest = {
  ...pendingRequest,
  role: null,
  status: 'rejected',
  decisionReason: 'Please name your company on the home page.',
  closedAt: new Date('2026-02-02T08:00:00Z'),
} as const;

export const trustProblems = [
  { field: 'trust_role', code: 'role_missing' },
  { field: 'role_reason', code: 'reason_too_long', values: { max: 500 } },
] as const;
