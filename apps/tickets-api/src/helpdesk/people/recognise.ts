import type { DefinitionCatalogue } from '../definitions/definition-catalogue.ts';
import type { FieldCatalogue } from '../fields/field-catalogue.ts';
import type { RoleCatalogue } from '../roles/role-catalogue.ts';
import type { People } from './people.ts';
import type { Viewer } from './viewer.ts';

/**
 * Loads the person and the rights of a viewer, and the current definitions of fields, statuses, types and priorities.
 */
export type Recognise = (viewer: Viewer) => Promise<Viewer>;

export interface RecogniseDeps {
  people: Pick<People, 'recognise'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
  definitions: Pick<DefinitionCatalogue, 'current'>;
  roles: Pick<RoleCatalogue, 'current'>;
}

export function createRecognise({ people, catalogue, definitions, roles }: RecogniseDeps): Recognise {
  return async (viewer) => {
    const recognised = await people.recognise(viewer);
    return {
      ...recognised,
      fields: await catalogue.current(),
      definitions: await definitions.current(),
      rights: (await roles.current()).get(viewer.role).rights,
    };
  };
}
