import type { Samples } from '../samples.fixture.ts';

const fields = { code: 'Ug1K0Xf3qg', state: 'af0ifjsldkj', iss: 'https://auth.example.com' };

export const responseSamples = {
  renderFormPost: {
    'form-post': {
      application: { name: 'Printshop Status' },
      response: { action: 'https://printshop.example/signin-oidc', fields },
    },
  },
} satisfies Partial<Samples>;
