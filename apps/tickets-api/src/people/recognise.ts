import type { FieldCatalogue } from '../fields/field-catalogue.ts';
import type { People } from './people.ts';
import type { Viewer } from './viewer.ts';

/** The viewer with what there is to know by now: their person, and the definitions of custom fields. */
export type Recognise = (viewer: Viewer) => Promise<Viewer>;

export interface RecogniseDeps {
  people: Pick<People, 'recognise'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
}

export function createRecognise({ people, catalogue }: RecogniseDeps): Recognise {
  return async (viewer) => {
    const recognised = await people.recognise(viewer);
    return { ...recognised, fields: await catalogue.current() };
  };
}
