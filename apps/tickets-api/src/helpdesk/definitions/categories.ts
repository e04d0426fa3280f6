/** Stages of the workflow, in order. Each status belongs to one category. */
export const statusCategories = ['new', 'open', 'pending', 'hold', 'solved', 'closed'] as const;
export type StatusCategory = (typeof statusCategories)[number];

/** Transitions from each category. No ticket becomes new again, and a closed ticket stays closed. */
export const categoryTransitions: Readonly<Record<StatusCategory, readonly StatusCategory[]>> = {
  new: ['open', 'pending', 'hold', 'solved'],
  open: ['pending', 'hold', 'solved'],
  pending: ['open', 'hold', 'solved'],
  hold: ['open', 'pending', 'solved'],
  solved: ['open', 'pending', 'hold', 'closed'],
  closed: [],
};

/** Whether a ticket can go from a status of one category to a different one of the other. */
export function isPassable(from: StatusCategory, to: StatusCategory): boolean {
  return categoryTransitions[from].includes(to) || (from === to && from !== 'closed');
}
