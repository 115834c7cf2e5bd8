# SPDX-License-Identifier: MIT
"""opacus_model.py DATA OUT RUNS EPSILON DELTA: logistic regression by DP-SGD of Opacus, for `tacit audit`.

Trains RUNS times on the CSV file DATA, for EPSILON and DELTA, and writes the weights of each run on a line of OUT.
"""
import csv
import sys
import warnings

warnings.simplefilter("ignore")
import opacus  # noqa: E402
import opacus.accountants.utils  # noqa: E402
import torch  # noqa: E402

EPOCHS, BATCH, RATE, CLIP = 4, 25, 0.5, 1.0


def train(x, y, noise):
    model = torch.nn.Linear(x.shape[1], 1)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=BATCH)
    model, optimizer, loader = opacus.PrivacyEngine().make_private(
        module=model, optimizer=torch.optim.SGD(model.parameters(), lr=RATE), data_loader=loader,
        noise_multiplier=noise, max_grad_norm=CLIP)
    for _ in range(EPOCHS):
        for rows, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(model(rows)[:, 0], labels).backward()
            optimizer.step()
    return model._module.weight.detach()[0].tolist()


def main():
    data, out, runs, epsilon, delta = sys.argv[1:]
    torch.set_num_threads(1)
    torch.seed()
    with open(data, newline="", encoding="ascii") as file:
        table = torch.tensor([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])
    noise = opacus.accountants.utils.get_noise_multiplier(
        target_epsilon=float(epsilon), target_delta=float(delta), sample_rate=1 / -(-len(table) // BATCH), epochs=EPOCHS)
    with open(out, "w", encoding="ascii") as file:
        for _ in range(int(runs)):
            weights = train(table[:, :-1], table[:, -1], noise)
            print(*weights, file=file)


if __name__ == "__main__":
    main()
