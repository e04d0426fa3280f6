/** The stages of the workflow, in order. Every status belongs to one of them, and has its rules. */
export const statusCategories = ['new', 'open', 'pending', 'hold', 'solved', 'closed'] as const;
export type StatusCategory = (typeof statusCategories)[number];

/** The categories that a ticket can go to from each. Nothing becomes new again, and what is closed stays so. */
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
