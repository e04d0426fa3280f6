import type { DefinitionCatalogue, FieldCatalogue, RoleCatalogue } from '../catalogues.ts';
import type { People } from './people.ts';
import type { Viewer } from './viewer.ts';

/**
 * Loads the person and the rights of a viewer, and the current definitions of fields, statuses, types and priorities.
 */
export type LoadViewer = (viewer: Viewer) => Promise<Viewer>;

export interface LoadViewerDeps {
  people: Pick<People, 'withPerson'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
  definitions: Pick<DefinitionCatalogue, 'current'>;
  roles: Pick<RoleCatalogue, 'current'>;
}

export function createLoadViewer({ people, catalogue, definitions, roles }: LoadViewerDeps): LoadViewer {
  return async (viewer) => {
    const known = await people.withPerson(viewer);
    return {
      ...known,
      fields: await catalogue.current(),
      definitions: await definitions.current(),
      rights: (await roles.current()).get(viewer.role).rights,
    };
  };
}
